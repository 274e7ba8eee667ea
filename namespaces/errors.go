package namespaces

import "fmt"

// Error says what is wrong with a registration or a scope, in the contract's words (F1).
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

func refuse(format string, args ...any) error {
	// What is wrapped belongs to the plugin, and is told by its text.
	return &Error{fmt.Sprintf(format, args...)}
}
