// Package config is the code mode config of contract A2: its one table of keys, and how the layers of operator, agent and
// turn are laid over one another.
//
// It knows no service and no turn: what a value means is the business of whoever reads it.
package config
