package outbound

import (
	"errors"
	"fmt"
	"net"
)

// RefusedError says that a host may not be called. Its text names no address, so that a cell may see it: where a name leads
// is the operator's knowledge, and in the log.
type RefusedError struct {
	class class // of the address; empty for a name that is not on the list
}

// Error implements error.
func (e *RefusedError) Error() string {
	if e.class == "" || e.class == public {
		return "the host is not one that this service may call"
	}
	return fmt.Sprintf("this service calls no %s addresses, unless its operator lists them", e.class)
}

// NotSent tells whether a request failed before anything of it was sent: no connection was made for it.
func NotSent(err error) bool {
	var dial *dialError
	return errors.As(err, &dial)
}

// NoSuchHost tells whether a request failed because its host's name does not exist, so that trying again is no use.
func NoSuchHost(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

// dialError is a connection that was not made.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }
