// Package account counts the bytes that the service holds on somebody's behalf, and refuses more than a limit (contract H6).
//
// Accounts form a tree: what is held for a run is held for its tenant too, and for the service. It does not know what the
// bytes are; whoever keeps something holds it in an account first, and releases it when it is gone.
package account
