package keyring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// contents are a file of keys.
type contents struct {
	Keys []Key `json:"keys"`
}

// Read returns the keys of a file.
func Read(path string) ([]Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file contents
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: not a file of keys: %w", path, err)
	}
	return file.Keys, nil
}

// Add writes a key to a file, which is made if there is none. Of k, ID may be empty: then it is a number behind its tenant.
// It returns the key as it was written.
func Add(path string, k Key) (Key, error) {
	err := change(path, func(keys []Key) ([]Key, error) {
		if k.ID == "" {
			k.ID = freeID(keys, k.Tenant)
		}
		for _, text := range []string{k.ID, k.Tenant} {
			if err := CheckName(text); err != nil {
				return nil, err
			}
		}
		if err := k.complete(); err != nil {
			return nil, fmt.Errorf("the key's %w", err)
		}
		if slices.ContainsFunc(keys, func(other Key) bool { return other.ID == k.ID }) {
			return nil, fmt.Errorf("%s has a key %q already; revoke it first, or take another id", path, k.ID)
		}
		k.Created = time.Now().UTC().Truncate(time.Second)
		return append(keys, k), nil
	})
	return k, err
}

// freeID is the tenant's name and the lowest number that no key of it has.
func freeID(keys []Key, tenant string) string {
	for n := 1; ; n++ {
		id := fmt.Sprintf("%s-%d", tenant, n)
		if !slices.ContainsFunc(keys, func(k Key) bool { return k.ID == id }) {
			return id
		}
	}
}

// Revoke takes a key out of a file.
func Revoke(path, id string) error {
	return change(path, func(keys []Key) ([]Key, error) {
		n := slices.IndexFunc(keys, func(k Key) bool { return k.ID == id })
		if n < 0 {
			return nil, fmt.Errorf("%s has no key %q", path, id)
		}
		return slices.Delete(keys, n, n+1), nil
	})
}

// change replaces a file by what edit makes of its keys. Changes at the same time come one after the other, and who reads
// the file meanwhile sees all of it, as it was before or after.
func change(path string, edit func([]Key) ([]Key, error)) error {
	// A file of its own, for the other one is replaced.
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("%s.lock: %w", path, err)
	}
	keys, err := Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if keys, err = edit(keys); err != nil {
		return err
	}
	text, err := json.MarshalIndent(contents{Keys: keys}, "", "  ")
	if err != nil {
		return err
	}
	return replace(path, append(text, '\n'))
}

// replace writes a file that only its owner can read, and has it be there as a whole or not at all. The owner and the group
// of one that is replaced are kept where this process may do that, and so is its mode: the service may be another user.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if old, err := os.Stat(path); err == nil {
		_ = f.Chmod(old.Mode().Perm())
		var sys unix.Stat_t
		if unix.Stat(path, &sys) == nil {
			_ = f.Chown(int(sys.Uid), int(sys.Gid))
		}
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
