package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/codecell/codecell/engine/internal/wire"
)

// Bounds of an outcome, in bytes.
const (
	// MaxOutcome is the size of the largest outcome. No heap of ordinary size takes more as a source.
	MaxOutcome = 32 << 20
	// maxErrorText is for at most maxTransformErrors messages, each of which may quote a name out of the cell.
	maxErrorText = 64 << 10
)

// ErrOutcome means that bytes are no outcome of Parse.
var ErrOutcome = errors.New("not an outcome of parsing a cell")

const (
	outcomeSource  = iota // as it was: JavaScript
	outcomePrinted        // transformed: TypeScript
	outcomeError
)

// AppendOutcome appends what Parse returned for a text, to be sent to another process. What is too large to be sent
// becomes an Error that says so.
func AppendOutcome(b []byte, source *Source, err error) []byte {
	if source != nil && source.Bytes() > MaxOutcome/2 {
		source, err = nil, &Error{Reason: TooLarge, Text: fmt.Sprintf(
			"typescript transform failed: the code becomes larger than %d bytes. Split the work into several cells.", MaxOutcome/2)}
	}
	switch {
	case err != nil:
		e := &Error{Text: err.Error()}
		_ = errors.As(err, &e) // it always is one
		b = append(b, outcomeError, byte(e.Reason))
		b = wire.U32(wire.U32(b, e.Line), e.Column)
		return wire.Text(b, e.Text[:min(len(e.Text), maxErrorText)])
	case !source.transformed():
		return append(b, outcomeSource)
	}
	b = append(b, outcomePrinted, byte(source.printedShift), byte(source.sourceShift))
	return wire.Text(wire.Text(b, source.Body), string(source.mappings))
}

// ReadOutcome is the inverse of AppendOutcome: it returns what Parse returned for the text. The other process may be
// under the control of whoever wrote the text. It can say that the cell is another than it is, which costs the cell;
// bytes that can't come of AppendOutcome are ErrOutcome.
func ReadOutcome(text string, lang Language, b []byte) (*Source, error) {
	r := wire.Read(b)
	var source *Source
	var refusal *Error
	switch kind := r.U8(); {
	case kind == outcomeError:
		refusal = &Error{Reason: Reason(r.U8()), Line: int(r.U32()), Column: int(r.U32())}
		refusal.Text = strings.ToValidUTF8(string(r.Text()), "\uFFFD")
		if refusal.Reason > TooLarge || refusal.Text == "" || len(refusal.Text) > 3*maxErrorText {
			r.Fail()
		}
	case kind == outcomeSource && lang == JavaScript:
		source = &Source{Body: text}
	case kind == outcomePrinted && lang == TypeScript:
		source = &Source{code: text, printedShift: int(r.U8()), sourceShift: int(r.U8())}
		source.Body, source.mappings = string(r.Text()), mappings(r.Text())
		if source.printedShift > 1 || source.sourceShift > 1 || source.Bytes() > MaxOutcome {
			r.Fail()
		}
	default:
		r.Fail()
	}
	switch {
	case !r.Done():
		return nil, ErrOutcome
	case refusal != nil:
		return nil, refusal
	}
	return source, nil
}
