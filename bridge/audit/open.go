package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"
)

// openFile opens a file that this process alone writes, and finds out where it ends. If its last line is unfinished, whole is
// where the chain was before that.
func openFile(path string) (file *os.File, end chain, whole *chain, err error) {
	file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, chain{}, nil, err
	}
	if err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		err = fmt.Errorf("%s: another process writes it: %w", path, err)
	} else {
		end, whole, err = findEnd(file)
	}
	if err != nil {
		file.Close()
		return nil, chain{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, end, whole, nil
}

// findEnd reads the last line alone if it is sound. Otherwise the whole file is looked through.
func findEnd(file *os.File) (end chain, whole *chain, err error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		return end, nil, err
	case !info.Mode().IsRegular():
		return end, nil, errors.New("it is no regular file")
	case info.Size() == 0:
		return end, nil, nil
	}
	size := min(info.Size(), maxLine)
	tail := make([]byte, size)
	if _, err := file.ReadAt(tail, info.Size()-size); err != nil {
		return end, nil, err
	}
	if line, ok := bytes.CutSuffix(tail, []byte{'\n'}); ok {
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		if seq := gjson.GetBytes(line, "seq").Int(); seq > 0 && gjson.ValidBytes(line) {
			end.seq = seq - 1
			end.take(line)
			return end, nil, nil
		}
	}
	return findTornEnd(io.NewSectionReader(file, 0, info.Size()))
}

func findTornEnd(r io.Reader) (end chain, whole *chain, err error) {
	v := newVerifier(r)
	if err := v.run(); err != nil {
		return end, nil, err
	}
	if !v.report.Cut {
		return end, nil, fmt.Errorf("line %d is broken: %s. Move the file away to begin another", v.report.Broken, v.report.Why)
	}
	end = v.at
	end.take(v.rest)
	return end, &v.sound, nil
}
