package script

// Error is why a cell was refused before any guest started. The caller reports
// it as failed, invalid_input (contract B1).
type Error struct {
	// Text is the whole message for the model.
	Text string
	// Line and Column are where in the model's text the reason stands, 1-based;
	// both are zero if the reason is the text as a whole.
	Line, Column int
}

// Error returns Text.
func (e *Error) Error() string { return e.Text }
