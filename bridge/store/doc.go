// Package store keeps what cells put into their session's `store` (contract D10).
//
// It owns the values of each session, their limits and their expiry. It knows no run: what a cell reads is a View, taken when
// its exec begins, which goes into the guest and is part of it from then on.
//
// Everything is a tenant's own, and its bytes are held in the tenant's account (contract H6).
package store
