// Package trajectory keeps what the execs of a turn did: the cells, the calls that they made, what was decided about each,
// and what came of it (contract G5). It shows this as JSON Lines and as messages of a transcript, without secrets.
//
// What is kept is bounded for each exec and each turn and charged to an account; where something is left out, that is said.
// Inputs and results are kept as they came if they are small, and secrets are taken out when they are shown; what is large is
// cut, and for that its secrets are taken out at once.
//
// It knows no run and no stage, and no HTTP.
package trajectory
