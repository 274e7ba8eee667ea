// Package outbound sends the HTTP requests that leave the service for hosts that others name: tools' executors and hooks
// (contract G3). Which hosts may be called is the operator's list; addresses that are not public are refused unless they
// are on it, and that is checked on the address that is dialled, after names were resolved.
//
// It knows no tools, hooks and turns: a request comes in with the tenant that it is sent for.
package outbound
