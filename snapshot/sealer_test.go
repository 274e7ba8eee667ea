package snapshot

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/stretchr/testify/require"
)

const secret = "a secret of the operator"

var (
	someone = Binding{Tenant: "t", Session: "s", Turn: "u", Build: "b", Run: "r"}
	small   = &Snapshot{Host: []byte(`{"host":1}`), Image: []byte("image")}
)

func newSealer(t testing.TB, secret string) *Sealer {
	t.Helper()
	s, err := NewSealer([]byte(secret))
	require.NoError(t, err)
	return s
}

func TestOpen(t *testing.T) {
	s := newSealer(t, secret)
	for name, snap := range map[string]*Snapshot{
		"both parts": small,
		"no host":    {Host: []byte{}, Image: []byte("image")},
		"no image":   {Host: []byte("host"), Image: []byte{}},
		"nothing":    {Host: []byte{}, Image: []byte{}},
		"large":      {Host: []byte("host"), Image: image(3 << 20)}, // larger than the buffers that are kept
	} {
		t.Run("C4 what was sealed opens: "+name, func(t *testing.T) {
			got, err := s.Open(s.Seal(snap, someone), someone, 4<<20)
			require.NoError(t, err)
			require.Equal(t, snap, got)
		})
	}
	t.Run("C9 it opens in another process that has the secret, of whatever length", func(t *testing.T) {
		for _, secret := range []string{"x", secret, strings.Repeat("long", 1000)} {
			got, err := newSealer(t, secret).Open(newSealer(t, secret).Seal(small, someone), someone, 1<<20)
			require.NoError(t, err)
			require.Equal(t, small, got)
		}
	})
	t.Run("C4 a binding may hold any text", func(t *testing.T) {
		odd := Binding{Tenant: "\x00\xff", Session: strings.Repeat("s", 1<<16), Run: "__proto__"}
		_, err := s.Open(s.Seal(small, odd), odd, 1<<20)
		require.NoError(t, err)
	})
	t.Run("C4 many at once do not get in each other's way", func(t *testing.T) {
		var all sync.WaitGroup
		for n := range 16 {
			all.Go(func() {
				snap := &Snapshot{Host: []byte{byte(n)}, Image: image(n << 10)}
				for range 20 {
					got, err := s.Open(s.Seal(snap, someone), someone, 1<<20)
					if err != nil || got.Host[0] != byte(n) || !slices.Equal(got.Image, snap.Image) {
						t.Errorf("snapshot %d came out as another: %v", n, err)
					}
				}
			})
		}
		all.Wait()
	})
}

func TestOpenRefuses(t *testing.T) {
	s := newSealer(t, secret)
	sealed := s.Seal(small, someone)
	for field, change := range map[string]func(b *Binding){
		"tenant":                              func(b *Binding) { b.Tenant = "x" },
		"session":                             func(b *Binding) { b.Session = "" },
		"turn":                                func(b *Binding) { b.Turn = "x" },
		"build":                               func(b *Binding) { b.Build = "b2" },
		"run":                                 func(b *Binding) { b.Run = "R" },
		"two, the same text in all":           func(b *Binding) { b.Tenant, b.Session = "ts", "" },
		"two, changed with each other":        func(b *Binding) { b.Tenant, b.Session = b.Session, b.Tenant },
		"all, as the zero binding has no one": func(b *Binding) { *b = Binding{} },
	} {
		t.Run("H4 another binding: "+field, func(t *testing.T) {
			b := someone
			change(&b)
			snap, err := s.Open(sealed, b, 1<<20)
			require.ErrorIs(t, err, ErrSealed)
			require.Nil(t, snap)
			require.Equal(t, ErrSealed.Error(), err.Error(), "A7 nothing tells which part differs")
		})
	}
	t.Run("H4 changed in any byte", func(t *testing.T) {
		for n := range sealed {
			for _, flip := range []byte{1, 0x80, 0xff} {
				bad := slices.Clone(sealed)
				bad[n] ^= flip
				_, err := s.Open(bad, someone, 1<<20)
				want := ErrSealed
				if n <= len(magic) {
					want = ErrFormat
				}
				require.ErrorIs(t, err, want, "byte %d", n)
			}
		}
	})
	t.Run("H4 cut anywhere, or with something behind", func(t *testing.T) {
		for n := range sealed {
			_, err := s.Open(sealed[:n:n], someone, 1<<20)
			want := ErrSealed
			if n <= len(magic) {
				want = ErrFormat
			}
			require.ErrorIs(t, err, want, "%d bytes", n)
		}
		_, err := s.Open(append(slices.Clone(sealed), 0), someone, 1<<20)
		require.ErrorIs(t, err, ErrSealed)
	})
	t.Run("H4 another key, and the operator is told", func(t *testing.T) {
		_, err := newSealer(t, "another secret").Open(sealed, someone, 1<<20)
		require.ErrorIs(t, err, ErrSealed)
		require.ErrorContains(t, err, "the same snapshot key")
	})
	t.Run("H4 another key under this key's id", func(t *testing.T) {
		forged := newSealer(t, "another secret").Seal(small, someone)
		copy(forged, s.header)
		_, err := s.Open(forged, someone, 1<<20)
		require.ErrorIs(t, err, ErrSealed)
	})
	t.Run("H4 without a secret no other process opens it", func(t *testing.T) {
		_, err := newSealer(t, "").Open(newSealer(t, "").Seal(small, someone), someone, 1<<20)
		require.ErrorIs(t, err, ErrSealed)
	})
	t.Run("H4 another format says so", func(t *testing.T) {
		bad := slices.Clone(sealed)
		bad[len(magic)] = 9
		_, err := s.Open(bad, someone, 1<<20)
		require.ErrorIs(t, err, ErrFormat)
		require.ErrorContains(t, err, "version 9")
	})
}

func TestSealedForm(t *testing.T) {
	s := newSealer(t, secret)
	t.Run("H4 nothing of the run can be read, and no two are alike", func(t *testing.T) {
		b := Binding{Tenant: "some tenant", Session: "some session", Turn: "some turn", Build: "some build", Run: "some run"}
		one, two := s.Seal(small, b), s.Seal(small, b)
		require.NotEqual(t, one, two)
		for _, text := range []string{"host", "image", "some", secret} {
			require.NotContains(t, string(one), text)
		}
	})
	t.Run("C6 zeros cost next to nothing", func(t *testing.T) {
		require.Less(t, len(s.Seal(&Snapshot{Image: make([]byte, 1<<20)}, someone)), 200)
	})
}

func TestOpenLimit(t *testing.T) {
	s := newSealer(t, secret)
	const size = 1 << 20
	bomb := s.Seal(&Snapshot{Host: make([]byte, 100), Image: make([]byte, size-100)}, someone)
	t.Run("H5 larger than allowed, both parts together", func(t *testing.T) {
		for _, limit := range []int{-1, 0, size - 1, size + lengthSize - 1} {
			_, err := s.Open(bomb, someone, limit)
			require.ErrorIs(t, err, ErrTooLarge, "limit %d", limit)
		}
	})
	t.Run("H5 as large as allowed", func(t *testing.T) {
		_, err := s.Open(bomb, someone, size+lengthSize)
		require.NoError(t, err)
	})
	t.Run("H5 a size that is a lie takes no memory", func(t *testing.T) {
		lie := []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0} // 4 GiB, and then nothing
		_, err := unpack(lie, 1<<20)
		require.ErrorIs(t, err, ErrTooLarge)
	})
}

func TestUnpack(t *testing.T) {
	for name, packed := range map[string][]byte{
		"no bytes":                    {},
		"shorter than a length":       s2.Encode(nil, []byte{0, 0, 0}),
		"a host's part past the end":  s2.Encode(nil, []byte{2, 0, 0, 0, 'x'}),
		"a host's part of all 4 GiB":  s2.Encode(nil, []byte{0xff, 0xff, 0xff, 0xff, 'x'}),
		"not what S2 makes":           {9, 0xff, 0xff, 0xff},
		"a copy from before the text": {5, 0x01, 0x00, 0x05, 0x00},
	} {
		t.Run("H4 well sealed, but "+name, func(t *testing.T) {
			_, err := unpack(packed, 1<<20)
			require.ErrorIs(t, err, ErrFormat)
		})
	}
}

// FuzzOpen takes what comes from outside, as it is and as if its sender knew the key.
func FuzzOpen(f *testing.F) {
	s := newSealer(f, secret)
	sealed := s.Seal(small, someone)
	f.Add(sealed)
	f.Add(sealed[:headerSize])
	f.Add([]byte(magic + "\x01"))
	f.Add(s2.Encode(nil, []byte{2, 0, 0, 0, 'h', 't', 'x'}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		if _, err := s.Open(in, Binding{Tenant: "another"}, 1<<20); err == nil {
			t.Fatal("opened for another")
		}
		const limit = 1 << 12
		authentic := s.aead.Seal(slices.Clone(s.header), nil, in, s.additional(someone))
		if snap, err := s.Open(authentic, someone, limit); err == nil && len(snap.Host)+len(snap.Image) > limit {
			t.Fatalf("%d bytes came out", len(snap.Host)+len(snap.Image))
		}
	})
}
