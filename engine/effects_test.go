package engine

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// record is one effect record as a guest writes it.
func record(kind byte, payload ...[]byte) []byte {
	var all []byte
	for _, p := range payload {
		all = append(all, p...)
	}
	return append(u32(kind, len(all)), all...)
}

func u32(kind byte, n int) []byte { return binary.LittleEndian.AppendUint32([]byte{kind}, uint32(n)) }

func le(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

func le64(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

func sized(s string) []byte { return append(le(len(s)), s...) }

func join(records ...[]byte) []byte {
	var all []byte
	for _, r := range records {
		all = append(all, r...)
	}
	return all
}

// aStep has a record of every kind.
func aStep() []byte {
	return join(
		record('T', []byte{0}, []byte("text")),
		record('T', []byte{5}),
		record('J', []byte(`{"a":1}`)),
		record('R', le(7), []byte{byte(MethodCall)}, sized("echo"), []byte(`{}`)),
		record('X', le(9)),
		record('D', []byte{1}, le(int(HintPromise|HintUndefined)), []byte("null")),
		record('U', []byte{1}, sized("TypeError"), sized("m"), sized("s"), sized("\nCaused by: c")),
		record('A', []byte{byte(MisuseTouched)}, sized("key"), sized("use"), sized("call")),
		record('U', []byte{0}, sized("other")),
		record('O', le64(5)), record('O', le64(6)),
		record('C', le64(1000), le(2), le64(1001), le(1)),
	)
}

func TestDecodeEffects(t *testing.T) {
	e, err := DecodeEffects(aStep(), true)
	require.NoError(t, err)
	require.Equal(t, []Output{{Data: []byte("text")}, {Level: 5, Data: []byte{}}, {JSON: true, Data: []byte(`{"a":1}`)}}, e.Outputs)
	require.Equal(t, []Request{{ID: 7, Method: MethodCall, Name: "echo", Payload: []byte(`{}`)}}, e.Requests)
	require.Equal(t, []uint32{9}, e.Cancelled)
	require.Equal(t, Main{State: Fulfilled, Hints: HintPromise | HintUndefined, Value: []byte("null")}, e.Main)
	require.Equal(t, []Thrown{{IsError: true, Name: "TypeError", Message: "m", Stack: "s", Reasons: "\nCaused by: c"}, {Other: "other"}}, e.Unhandled)
	require.Equal(t, []Misused{{MisuseTouched, "key", "use", "call"}}, e.Misused)
	require.Equal(t, int64(11), e.Omitted)
	require.Equal(t, []ClockRun{{1000, 2}, {1001, 1}}, e.Clock)
}

func TestDecodeMain(t *testing.T) {
	for _, c := range []struct {
		rule    string
		payload []byte
		want    Main
	}{
		{"pending", []byte{0}, Main{}},
		{"fulfilled", join([]byte{1}, le(0), []byte("1")), Main{State: Fulfilled, Value: []byte("1")}},
		{"rejected", join([]byte{2, 0}, sized("x")), Main{State: Rejected, Thrown: Thrown{Other: "x"}}},
		{"settled before", []byte{3}, Main{State: Settled}},
	} {
		t.Run("B7 "+c.rule, func(t *testing.T) {
			e, err := DecodeEffects(record('D', c.payload), true)
			require.NoError(t, err)
			require.Equal(t, c.want, e.Main)
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	for rule, raw := range map[string][]byte{
		"an unknown kind":                record('Z'),
		"a record that is cut":           record('J', []byte("1"))[:5],
		"a head that is cut":             {'J', 1},
		"a length beyond the end":        u32('J', 1<<31),
		"an output level over 5":         record('T', []byte{6}),
		"a text without level":           record('T'),
		"JSON of nothing":                record('J'),
		"a request without id":           record('R', le(0), []byte{3}, sized("x"), []byte("1")),
		"a request of no method":         record('R', le(1), []byte{0}, sized("x"), []byte("1")),
		"a request of a later method":    record('R', le(1), []byte{8}, sized("x"), []byte("1")),
		"a request without payload":      record('R', le(1), []byte{3}, sized("x")),
		"a request whose name is cut":    record('R', le(1), []byte{3}, le(9), []byte("x")),
		"a timer of more than an id":     record('X', le(1), []byte{0}),
		"omitted bytes that are cut":     record('O', le(1)),
		"half a clock read":              record('C', le64(1)),
		"an unknown state":               record('D', []byte{4}),
		"a state with more behind it":    record('D', []byte{0, 0}),
		"a value of nothing":             record('D', []byte{1}, le(0)),
		"a promise used in no known way": record('A', []byte{9}, sized("k"), sized(""), sized("")),
		"an error without its stack":     record('D', []byte{2, 1}, sized("n"), sized("m")),
		"a rejection of nothing":         record('D', []byte{2}),
		"unhandled, more behind it":      record('U', []byte{0}, sized("x"), []byte{0}),
		"a bad record after a good one":  join(record('D', []byte{0}), []byte{'T'}),
	} {
		t.Run("H3 "+rule, func(t *testing.T) {
			e, err := DecodeEffects(raw, false)
			require.ErrorIs(t, err, ErrProtocol)
			require.Nil(t, e)
		})
	}
	for name, c := range map[string]struct {
		one []byte
		max int
	}{
		"requests": {record('R', le(1), []byte{3}, sized("x"), []byte("1")), maxRequests},
		"promises": {record('A', []byte{1}, sized("k"), sized(""), sized("")), maxMisused},
		"timers":   {record('X', le(1)), maxRequests},
		"texts":    {record('T', []byte{0}), maxOutputs},
	} {
		t.Run("H3 H6 more "+name+" than a step can hand out", func(t *testing.T) {
			raw := bytes.Repeat(c.one, c.max+1)
			_, err := DecodeEffects(raw[:c.max*len(c.one)], false)
			require.NoError(t, err)
			_, err = DecodeEffects(raw, false)
			require.ErrorIs(t, err, ErrProtocol)
		})
	}
	t.Run("H6 rejections that nobody handled are told of up to a number", func(t *testing.T) {
		e, err := DecodeEffects(bytes.Repeat(record('U', []byte{0}, sized("x")), maxUnhandled+1), false)
		require.NoError(t, err)
		require.Len(t, e.Unhandled, maxUnhandled)
	})
	t.Run("H3 a complete step without the promise's state", func(t *testing.T) {
		_, err := DecodeEffects(record('J', []byte("1")), true)
		require.ErrorIs(t, err, ErrProtocol)
		e, err := DecodeEffects(record('J', []byte("1")), false)
		require.NoError(t, err)
		require.Equal(t, Pending, e.Main.State)
	})
	t.Run("H3 omitted bytes can't overflow to less", func(t *testing.T) {
		e, err := DecodeEffects(record('O', le64(-1)), false)
		require.NoError(t, err)
		require.Positive(t, e.Omitted)
	})
}

func TestHash(t *testing.T) {
	hash := func(raw []byte) [32]byte {
		e, err := DecodeEffects(raw, false)
		require.NoError(t, err)
		return e.Hash()
	}
	clock := func(ms int64) []byte { return record('C', le64(ms), le(1)) }
	text, data := record('T', []byte{0}, []byte("a")), record('J', []byte("1"))
	t.Run("C4 clock reads do not count", func(t *testing.T) {
		require.Equal(t, hash(join(text, data)), hash(join(clock(1), text, clock(2), data)))
	})
	t.Run("C4 order counts", func(t *testing.T) { require.NotEqual(t, hash(join(text, data)), hash(join(data, text))) })
	t.Run("C4 every byte counts", func(t *testing.T) {
		require.NotEqual(t, hash(text), hash(record('T', []byte{0}, []byte("b"))))
		require.NotEqual(t, hash(text), hash(record('T', []byte{1}, []byte("a"))))
	})
	t.Run("C4 bounds of records count", func(t *testing.T) {
		require.NotEqual(t, hash(record('J', []byte("12"))), hash(join(record('J', []byte("1")), record('J', []byte("2")))))
	})
}

func TestMethodNames(t *testing.T) {
	for m, want := range map[Method]string{
		MethodSearch: "search", MethodDescribe: "describe", MethodCall: "call", MethodCallValue: "call",
		MethodNamespace: "namespace", MethodYield: "yield", MethodTimer: "timer", 99: "method 99",
	} {
		require.Equal(t, want, m.String(), "C2")
	}
}

// FuzzDecodeEffects: what an engine hands out comes from where a guest has been. It decodes to something within its own
// bounds, or is refused; decoding has no other end.
func FuzzDecodeEffects(f *testing.F) {
	f.Add(aStep(), true)
	f.Add([]byte{}, false)
	f.Add(record('D', []byte{2, 1}, sized("n"), sized("m"), sized("s")), true)
	f.Add(u32('R', 1<<31), false)
	f.Add(join(record('C', le64(-1), le(-1)), record('O', le64(-1))), false)
	f.Fuzz(func(t *testing.T, raw []byte, complete bool) {
		e, err := DecodeEffects(raw, complete)
		if err != nil {
			require.ErrorIs(t, err, ErrProtocol)
			return
		}
		size := 0
		for _, o := range e.Outputs {
			require.LessOrEqual(t, o.Level, byte(5))
			size += len(o.Data)
		}
		for _, q := range e.Requests {
			require.NotZero(t, q.ID)
			require.NotContains(t, q.Method.String(), " ")
			size += len(q.Name) + len(q.Payload)
		}
		require.LessOrEqual(t, size, len(raw))
		require.LessOrEqual(t, len(e.Clock)*12, len(raw))
		require.LessOrEqual(t, e.Main.State, Settled)
		again, err := DecodeEffects(raw, complete)
		require.NoError(t, err)
		require.Equal(t, e.Hash(), again.Hash())
	})
}
