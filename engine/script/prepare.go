package script

import "fmt"

// Prepare turns the text that a model wrote into the body that the guest
// compiles. Every error is an *Error.
func Prepare(code string, lang Language, o Options) (*Source, error) {
	if err := checkSize(code, o.MaxBytes); err != nil {
		return nil, err
	}
	return &Source{Body: code}, nil
}

// checkSize refuses a source over the limit (contract B1).
func checkSize(code string, limit int) error {
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	if len(code) <= limit {
		return nil
	}
	return &Error{Text: fmt.Sprintf("code is too large: %d bytes, the limit is %d bytes. "+
		"Split the work into several cells, and read large data with a tool instead of writing it into the source.",
		len(code), limit)}
}
