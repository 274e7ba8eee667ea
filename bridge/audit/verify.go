package audit

import (
	"bufio"
	"encoding/hex"
	"errors"
	"io"
)

// maxLine is how long a line may be, in bytes: more than any that is written.
const maxLine = 4 << 20

// Report is what Verify found.
type Report struct {
	// Lines is how many lines are sound, up to the first that is not. Head is the hash of the last of them, in hex.
	Lines int64
	Head  string
	// Torn are lines that a process left unfinished when it was killed, and that the next one has noted.
	Torn []int64
	// Cut says that the last line is unfinished: the process was killed while it wrote it, or is writing it now.
	Cut bool
	// Broken is the first line that was changed, put in, moved or that follows one that was taken out; 0 if there is none. Why
	// says how that is known.
	Broken int64
	Why    string
}

// Verify reads a whole file. The error is that of reading.
func Verify(r io.Reader) (Report, error) {
	v := newVerifier(r)
	err := v.run()
	v.report.Lines, v.report.Head = v.sound.seq, hex.EncodeToString(v.sound.prev[:])
	return v.report, err
}

func newVerifier(r io.Reader) *verifier { return &verifier{lines: bufio.NewReaderSize(r, 64<<10)} }

type verifier struct {
	lines  *bufio.Reader
	at     chain // after all lines so far
	sound  chain // after all that are known to be sound
	report Report
	rest   []byte // of a last line that is unfinished
	odd    error  // what is wrong with the last line, unless the next one says that it was cut short
}

func (v *verifier) run() error {
	for {
		line, whole, err := readLine(v.lines)
		switch {
		case errors.Is(err, errTooLong):
			v.broken(v.at.seq+1, "it is too long")
			return nil
		case err != nil:
			return err
		case !whole:
			if v.odd != nil {
				v.broken(v.at.seq, v.odd.Error())
			}
			v.rest, v.report.Cut = line, line != nil && v.odd == nil
			return nil
		}
		wrong := v.at.check(line)
		if v.odd != nil {
			if wrong != nil || !v.sound.repairs(line) {
				v.broken(v.at.seq, v.odd.Error())
				return nil
			}
			v.report.Torn = append(v.report.Torn, v.at.seq)
		}
		v.at.take(line)
		if v.odd = wrong; wrong == nil {
			v.sound = v.at
		}
	}
}

func (v *verifier) broken(line int64, why string) { v.report.Broken, v.report.Why = line, why }

var errTooLong = errors.New("a line is too long")

// readLine returns the next line without its line break, and whether it has one; nil at the end.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, false, errTooLong
		case err == nil:
			return line[:len(line)-1], true, nil
		case errors.Is(err, io.EOF):
			return line, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}
