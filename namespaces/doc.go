// Package namespaces keeps the domain APIs that plugins put beside the generic catalog (contract F): globals such as
// Issues or Calendar, whose functions are calls of the plugin's own tools.
//
// It owns the registry, what a registration may look like, how a scope becomes the text that a guest makes its globals
// of, and which tool a function stands for. It knows no guest and no run: a call that it resolves is a nested tool call
// like any other, and whoever carries it out applies policy, validation and limits.
//
// A namespace is visible in a turn only if the turn's catalog has every tool that the namespace requires, and each
// belongs to the plugin that registered it. So a plugin can neither borrow the tools of another, nor show more than
// the policy left.
package namespaces
