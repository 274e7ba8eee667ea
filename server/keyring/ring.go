package keyring

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Ring has the keys of a config and those of a file, which may change while the service runs. A nil Ring has none. It is
// safe for concurrent use.
type Ring struct {
	path     string
	required atomic.Bool

	// keys are by the hash of the key. How long a look-up takes depends on that hash alone, which tells nothing of the key
	// and can't be steered towards that of another one.
	keys atomic.Pointer[map[[sha256.Size]byte]*Key]

	mu     sync.Mutex
	fixed  []Key
	ofFile []Key
	read   stamp // of the file, when it was read last
}

// stamp tells one version of a file from another.
type stamp struct {
	modified time.Time
	size     int64
	file     os.FileInfo
}

func (s stamp) equal(o stamp) bool {
	return s.file != nil && o.file != nil && s.modified.Equal(o.modified) && s.size == o.size && os.SameFile(s.file, o.file)
}

// Errors of Find.
var (
	ErrUnknown = errors.New("the API key is not known here")
	ErrExpired = errors.New("the API key has expired")
)

// New returns a ring of keys of a config and, unless path is empty, those of a file, as Add writes it. Errors name
// the key, as the config does or as the file does.
func New(fixed []Key, path string) (*Ring, error) {
	r := &Ring{fixed: slices.Clone(fixed), path: path}
	if _, err := r.Reload(); err != nil {
		return nil, err
	}
	return r, nil
}

// Required says whether requests need a key: where none was ever meant to be, none is asked for. A file without keys lets
// nobody in.
func (r *Ring) Required() bool { return r != nil && r.required.Load() }

// Several says whether there may be more than one tenant.
func (r *Ring) Several() bool { return r != nil && (r.path != "" || len(r.Tenants()) > 1) }

// Tenants returns those that have a key with which code can be run, in order.
func (r *Ring) Tenants() []string {
	if r == nil {
		return nil
	}
	var all []string
	for _, k := range *r.keys.Load() {
		if k.Role == RoleRun {
			all = append(all, k.Tenant)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Has says whether there is a key with a role that has not expired.
func (r *Ring) Has(role Role) bool {
	if r == nil {
		return false
	}
	for _, k := range *r.keys.Load() {
		if k.Role == role && !k.expired() {
			return true
		}
	}
	return false
}

func (k *Key) expired() bool { return !k.Expires.IsZero() && !time.Now().Before(k.Expires) }

// Find returns what is known of a key, or ErrUnknown or ErrExpired.
func (r *Ring) Find(key string) (*Key, error) {
	if r == nil {
		return nil, ErrUnknown
	}
	k := (*r.keys.Load())[sha256.Sum256([]byte(key))]
	switch {
	case k == nil:
		return nil, ErrUnknown
	case k.expired():
		return nil, ErrExpired
	}
	return k, nil
}

// Reload reads the file again if it has changed, and says whether it did. If it can't be read, the keys stay what they were.
func (r *Ring) Reload() (changed bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.path == "" {
		if r.keys.Load() != nil {
			return false, nil
		}
		return true, r.take(r.fixed, nil)
	}
	now, err := stampOf(r.path)
	if err != nil {
		return false, err
	}
	if now.equal(r.read) {
		return false, nil
	}
	keys, err := Read(r.path)
	if err != nil {
		return false, err
	}
	if err := r.take(r.fixed, keys); err != nil {
		return false, err
	}
	// As it was before it was read: what was written meanwhile is read the next time.
	r.read = now
	return true, nil
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return stamp{info.ModTime(), info.Size(), info}, nil
}

// take makes the fixed keys and those of the file the ones that count.
func (r *Ring) take(fixed, ofFile []Key) error {
	keys := make(map[[sha256.Size]byte]*Key, len(fixed)+len(ofFile))
	ids := map[string]bool{}
	add := func(where string, k Key) error {
		if err := k.complete(); err != nil {
			return fmt.Errorf("%s%w", where, err)
		}
		if ids[k.ID] {
			return fmt.Errorf("%s.id: %q is there twice", where, k.ID)
		}
		ids[k.ID] = true
		sum, _ := hex.DecodeString(k.SHA256)
		if other := keys[[sha256.Size]byte(sum)]; other != nil {
			return fmt.Errorf("%s.sha256: the same key is also %q", where, other.ID)
		}
		keys[[sha256.Size]byte(sum)] = &k
		return nil
	}
	for n, k := range fixed {
		if err := add(fmt.Sprintf("auth.keys[%d]", n), k); err != nil {
			return err
		}
	}
	for n, k := range ofFile {
		if err := add(fmt.Sprintf("%s: keys[%d]", r.path, n), k); err != nil {
			return err
		}
	}
	r.fixed, r.ofFile = fixed, ofFile
	r.keys.Store(&keys)
	if len(fixed) > 0 || r.path != "" {
		r.required.Store(true)
	}
	return nil
}

// Replace takes other keys for those of the config. If they can't be used, the keys stay what they were. Once there were any,
// requests need a key, also when there are none any more.
func (r *Ring) Replace(fixed []Key) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.take(slices.Clone(fixed), r.ofFile)
}

// Watch reloads the file whenever it has changed, looking at it so often, until ctx ends. changed is called after each
// reload, with its error if it failed; of an error that lasts, it is told once.
func (r *Ring) Watch(ctx context.Context, every time.Duration, changed func(error)) {
	if r == nil || r.path == "" {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	told := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		did, err := r.Reload()
		switch {
		case err != nil && err.Error() != told:
			told = err.Error()
			changed(err)
		case err == nil:
			told = ""
			if did {
				changed(nil)
			}
		}
	}
}
