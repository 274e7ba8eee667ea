package audit

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

var quiet = slog.New(slog.DiscardHandler)

func open(t *testing.T, path string) *Log {
	t.Helper()
	l, err := Open(path, quiet)
	require.NoError(t, err)
	return l
}

func closeLog(t *testing.T, l *Log) {
	t.Helper()
	require.NoError(t, l.Close(t.Context()))
}

func verified(t *testing.T, path string) (Report, [][]byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	r, err := Verify(bytes.NewReader(text))
	require.NoError(t, err)
	return r, bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

func types(lines [][]byte) (all []string) {
	for _, line := range lines {
		all = append(all, gjson.GetBytes(line, "type").Str)
	}
	return all
}

func TestLog(t *testing.T) {
	t.Run("G5 lines are chained, also over a restart", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		for range 3 {
			l := open(t, path)
			require.NoError(t, l.Ready())
			var writers sync.WaitGroup
			for n := range 20 {
				writers.Go(func() { l.Append(fmt.Appendf(nil, `"type":"call","n":%d`, n)) })
			}
			writers.Wait()
			closeLog(t, l)
			require.Error(t, l.Ready())
			closeLog(t, l) // again
		}
		r, lines := verified(t, path)
		require.Equal(t, Report{Lines: 66, Head: r.Head}, r)
		sum := chain{}
		sum.take(lines[65])
		require.Equal(t, hex.EncodeToString(sum.prev[:]), r.Head)
		require.Equal(t, "opened", gjson.GetBytes(lines[22], "type").Str)
		require.Equal(t, "closed", gjson.GetBytes(lines[21], "type").Str)
		require.EqualValues(t, 23, gjson.GetBytes(lines[22], "seq").Int())
		_, err := time.Parse(time.RFC3339Nano, gjson.GetBytes(lines[22], "time").Str)
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	})
	t.Run("G5 a last line that is unfinished is noted, and stays", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		l := open(t, path)
		l.Append([]byte(`"type":"call"`))
		closeLog(t, l)
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		for cut := 1; cut < 80; cut++ {
			require.NoError(t, os.WriteFile(path, whole[:len(whole)-cut], 0o600))
			r, lines := verified(t, path)
			require.True(t, r.Cut)
			require.Zero(t, r.Broken)
			require.EqualValues(t, 2, r.Lines)
			closeLog(t, open(t, path))
			after, all := verified(t, path)
			require.Zero(t, after.Broken, after.Why)
			require.False(t, after.Cut)
			require.EqualValues(t, 5, after.Lines)
			require.Equal(t, []string{"opened", "closed"}, types(all[3:]))
			require.True(t, gjson.GetBytes(all[3], "torn").Bool())
			if cut > 1 {
				require.Equal(t, []int64{3}, after.Torn)
				require.Equal(t, lines[2], all[2])
			}
		}
	})
	t.Run("G5 what was before a line that was cut short can't be changed either", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		closeLog(t, open(t, path))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text[:len(text)-20], 0o600))
		closeLog(t, open(t, path))
		text, err = os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte(`"opened"`), []byte(`"openxd"`), 1), 0o600))
		r, _ := verified(t, path)
		require.EqualValues(t, 2, r.Broken)
	})
	t.Run("G5 a file that was cut in its first line", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(`{"prev":`), 0o600))
		closeLog(t, open(t, path))
		r, _ := verified(t, path)
		require.Equal(t, Report{Lines: 3, Head: r.Head, Torn: []int64{1}}, r)
	})
	t.Run("G5 one that is broken at its end is not gone on with", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		closeLog(t, open(t, path))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append(text, "what is this?\n"...), 0o600))
		_, err = Open(path, quiet)
		require.ErrorContains(t, err, "line 3 is broken: it is not JSON")
	})
	t.Run("G5 two processes", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		l := open(t, path)
		_, err := Open(path, quiet)
		require.ErrorContains(t, err, "another process writes it")
		closeLog(t, l)
	})
	t.Run("G5 what is no file, or can't be written", func(t *testing.T) {
		_, err := Open(t.TempDir(), quiet)
		require.Error(t, err)
		_, err = Open("/dev/null", quiet)
		require.ErrorContains(t, err, "no regular file")
		_, err = Open(filepath.Join(t.TempDir(), "no", "such"), quiet)
		require.ErrorIs(t, err, os.ErrNotExist)
	})
}

// disk is a file that may fail, or hang.
type disk struct {
	mu    sync.Mutex
	text  bytes.Buffer
	room  int // bytes
	hangs chan struct{}
	syncs int
	fails error // of Sync
}

func (d *disk) Write(p []byte) (int, error) {
	if d.hangs != nil {
		<-d.hangs
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(p), d.room)
	d.room -= n
	d.text.Write(p[:n])
	if n < len(p) {
		return n, errors.New("no space left on device")
	}
	return n, nil
}

func (d *disk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.syncs++
	return d.fails
}

func (d *disk) Close() error { return nil }

func (d *disk) set(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

func started(d *disk) *Log {
	l := newLog(d, chain{}, "file", quiet)
	go l.run()
	return l
}

func (d *disk) sound(t *testing.T) [][]byte {
	t.Helper()
	r, err := Verify(bytes.NewReader(d.text.Bytes()))
	require.NoError(t, err)
	require.Zero(t, r.Broken, r.Why)
	require.False(t, r.Cut)
	return bytes.Split(bytes.TrimSuffix(d.text.Bytes(), []byte("\n")), []byte("\n"))
}

func TestDisks(t *testing.T) {
	t.Run("G5 a full disk: nothing is ready until there is room, and nothing is lost", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := &disk{room: 300}
			l := started(d)
			for range 3 {
				l.Append([]byte(`"type":"call"`))
			}
			synctest.Wait()
			require.EqualError(t, l.Ready(), "the audit file can't be written")
			l.Append([]byte(`"type":"later"`))
			d.set(func() { d.room = 1 << 20 })
			time.Sleep(2 * retryAfter)
			synctest.Wait()
			require.NoError(t, l.Ready())
			closeLog(t, l)
			require.Equal(t, []string{"call", "call", "call", "later", "closed"}, types(d.sound(t)))
		})
	})
	t.Run("G5 a disk that can't flush", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := &disk{room: 1 << 20, fails: errors.New("input/output error")}
			l := started(d)
			l.Append([]byte(`"type":"call"`))
			synctest.Wait()
			require.Error(t, l.Ready())
			d.set(func() { d.fails = nil })
			time.Sleep(2 * retryAfter)
			synctest.Wait()
			require.NoError(t, l.Ready())
			closeLog(t, l)
			require.Equal(t, []string{"call", "closed"}, types(d.sound(t)))
		})
	})
	t.Run("G5 a slow disk blocks nobody; what is too much is counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := &disk{room: 1 << 30, hangs: make(chan struct{})}
			l := started(d)
			line := []byte(`"type":"call","x":"` + strings.Repeat("x", 1<<20) + `"`)
			for range maxHeld >> 20 {
				require.NoError(t, l.Ready())
				l.Append(line)
			}
			require.EqualError(t, l.Ready(), "the audit file is written too slowly")
			for range 20 {
				l.Append(line)
			}
			synctest.Wait()
			require.LessOrEqual(t, l.held, mostHeld)
			close(d.hangs)
			synctest.Wait()
			require.NoError(t, l.Ready())
			l.Append([]byte(`"type":"call"`))
			closeLog(t, l)
			lines := d.sound(t)
			lost := 0
			for _, line := range lines {
				lost += int(gjson.GetBytes(line, "lines").Int())
			}
			calls := len(lines) - 2 // lost, closed
			require.Positive(t, lost)
			require.Equal(t, maxHeld>>20+20+1, calls+lost)
			require.Less(t, d.syncs, len(lines)+1)
		})
	})
	t.Run("I1 the end does not wait for ever", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := started(&disk{})
			l.Append([]byte(`"type":"call"`))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.ErrorContains(t, l.Close(ctx), "not all lines were written")
		})
	})
}

// aFile is one of so many calls.
func aFile(t testing.TB, calls int) [][]byte {
	t.Helper()
	d := &disk{room: 1 << 30}
	l := newLog(d, chain{}, "file", quiet)
	require.NoError(t, l.begin(nil))
	go l.run()
	for n := range calls {
		l.Append(fmt.Appendf(nil, `"type":"call","n":%d`, n))
	}
	require.NoError(t, l.Close(context.Background()))
	return bytes.SplitAfter(bytes.TrimSuffix(d.text.Bytes(), []byte("\n")), []byte("\n"))
}

func TestVerify(t *testing.T) {
	lines := aFile(t, 6)
	text := func(lines ...[]byte) []byte { return append(bytes.Join(lines, nil), '\n') }
	check := func(t *testing.T, text []byte) Report {
		t.Helper()
		r, err := Verify(bytes.NewReader(text))
		require.NoError(t, err)
		return r
	}
	t.Run("G5 a sound file", func(t *testing.T) {
		require.EqualValues(t, 8, check(t, text(lines...)).Lines)
		require.Equal(t, Report{Head: strings.Repeat("0", 64)}, check(t, nil))
	})
	for n := range lines {
		t.Run(fmt.Sprintf("G5 line %d", n+1), func(t *testing.T) {
			changed := bytes.Clone(lines[n])
			changed[len(changed)-4] ^= 1
			if r := check(t, text(append(append(append([][]byte{}, lines[:n]...), changed), lines[n+1:]...)...)); n+1 < len(lines) {
				require.Contains(t, []int64{int64(n) + 1, int64(n) + 2}, r.Broken, "changed: the line itself, or the next one's hash of it")
			}
			if n+1 < len(lines) {
				r := check(t, text(append(append([][]byte{}, lines[:n]...), lines[n+1:]...)...))
				require.EqualValues(t, n+1, r.Broken, "taken out")
				require.EqualValues(t, n, r.Lines)
			}
			r := check(t, text(append(append(append([][]byte{}, lines[:n]...), []byte("{}\n")), lines[n:]...)...))
			require.EqualValues(t, n+1, r.Broken, "put in")
			if n+1 < len(lines) {
				swapped := append([][]byte{}, lines...)
				swapped[n], swapped[n+1] = bytes.TrimSuffix(swapped[n+1], []byte("\n")), swapped[n]
				swapped[n] = append(bytes.Clone(swapped[n]), '\n')
				require.EqualValues(t, n+1, check(t, text(swapped...)).Broken, "moved")
			}
			r = check(t, bytes.Join(lines[:n], nil))
			require.Zero(t, r.Broken, "the end taken off can't be seen: compare the hash of the last line")
			require.EqualValues(t, n, r.Lines)
		})
	}
	t.Run("G5 a line that was cut short in the middle is no crash", func(t *testing.T) {
		cut := append([][]byte{}, lines...)
		cut[3] = append(bytes.Clone(cut[3][:40]), '\n')
		r := check(t, text(cut...))
		require.EqualValues(t, 4, r.Broken)
		require.Equal(t, "it is not JSON", r.Why)
	})
	t.Run("G5 a cut after what is broken is no crash either", func(t *testing.T) {
		r := check(t, append([]byte("{}\n"), `{"prev`...))
		require.EqualValues(t, 1, r.Broken)
		require.False(t, r.Cut)
	})
	t.Run("H6 a line that is too long", func(t *testing.T) {
		r := check(t, append(bytes.Join(lines, nil), "\n"+strings.Repeat("x", maxLine+1)...))
		require.EqualValues(t, 9, r.Broken)
		require.Equal(t, "it is too long", r.Why)
	})
}

// Whatever is changed in a sound file is found, unless it is only missing at the end.
func FuzzVerify(f *testing.F) {
	sound := append(bytes.Join(aFile(f, 3), nil), '\n')
	f.Add(sound, 0, []byte{})
	f.Add(sound, 10, []byte("x"))
	f.Add(sound[:len(sound)-5], 300, []byte("\n"))
	f.Add([]byte("{}\n\n"), 0, []byte{})
	f.Fuzz(func(t *testing.T, text []byte, at int, in []byte) {
		r, err := Verify(bytes.NewReader(text))
		require.NoError(t, err)
		require.False(t, r.Cut && r.Broken > 0)
		require.LessOrEqual(t, r.Lines, int64(bytes.Count(text, []byte("\n"))))
		at = int(uint(at) % uint(len(sound)+1))
		with := append(append(bytes.Clone(sound[:at]), in...), sound[min(len(sound), at+len(in)):]...)
		r, err = Verify(bytes.NewReader(with))
		require.NoError(t, err)
		if r.Broken == 0 && !r.Cut && len(r.Torn) == 0 {
			n := len(bytes.SplitAfter(with, []byte("\n"))) - 1
			require.EqualValues(t, n, r.Lines)
			last := bytes.LastIndexByte(bytes.TrimSuffix(with, []byte("\n")), '\n') + 1
			require.True(t, bytes.HasPrefix(sound, with[:last]), "%q", with)
		}
	})
}
