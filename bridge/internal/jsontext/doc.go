// Package jsontext writes and checks JSON as text: what the bridge passes on is never decoded as a whole.
//
// It knows no result and no tool.
package jsontext
