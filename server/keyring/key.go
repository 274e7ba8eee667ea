package keyring

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"time"
)

// Key is one bearer API key. The key itself is not in it, only its hash.
type Key struct {
	// ID names the key among all.
	ID string `json:"id"`
	// Tenant is who the key belongs to: turns and runs that were made with one key of a tenant can be used with its others.
	// By default the key is the only one of a tenant with the key's ID.
	Tenant string `json:"tenant,omitempty"`
	// SHA256 is the hash of the key in hex. Keys are random, so a plain hash can't be searched for one, and checking it
	// costs an exec next to nothing.
	SHA256 string `json:"sha256"`
	// Role is what the key is good for. Default RoleRun.
	Role Role `json:"role,omitempty"`
	// Created is when the key was added to its file; it is there for people only.
	Created time.Time `json:"created,omitzero"`
	// Expires is when the key ceases to be valid; the zero time is never.
	Expires time.Time `json:"expires,omitzero"`
}

// Role is what a key is good for.
type Role string

// The roles. A key has one of them: who operates the service need not be able to run code on it, and the other way round.
const (
	RoleRun   Role = "run"   // the service's routes, as a tenant
	RoleAdmin Role = "admin" // the admin listener
)

// Hash returns what Key.SHA256 holds for a key.
func Hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// prefix tells people, and those who search for leaked secrets, what a key is.
const prefix = "codecell_"

// Generate returns a new key, which has 130 random bits.
func Generate() string { return prefix + rand.Text() }

// name is what ids and tenants that are added to a file look like. Those of a config may be anything but empty and "*".
var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckName says whether a key that is added to a file may have the ID or the tenant.
func CheckName(text string) error {
	if !name.MatchString(text) {
		return fmt.Errorf("%q is not a name: 1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or a digit", text)
	}
	return nil
}

// everyTenant stands for all tenants where limits are configured, so nobody may be called that.
const everyTenant = "*"

// complete checks a key and fills in what was left out. Errors begin with the member.
func (k *Key) complete() error {
	if k.Tenant == "" {
		k.Tenant = k.ID
	}
	if k.Role == "" {
		k.Role = RoleRun
	}
	sum, err := hex.DecodeString(k.SHA256)
	switch {
	case k.ID == "":
		return fmt.Errorf(".id is empty: it names the key, and its tenant if there is none of its own")
	case k.Tenant == everyTenant:
		return fmt.Errorf(".tenant is %q, which stands for all tenants", everyTenant)
	case err != nil || len(sum) != sha256.Size:
		return fmt.Errorf(".sha256 must be 64 hex digits, the SHA-256 of the key")
	case k.Role != RoleRun && k.Role != RoleAdmin:
		return fmt.Errorf(".role must be %s or %s, not %q", RoleRun, RoleAdmin, k.Role)
	}
	return nil
}
