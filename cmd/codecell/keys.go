package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/codecell/codecell/server/keyring"
)

// keysCommand is codecell keys.
type keysCommand struct {
	File   string `help:"The file of keys. Default auth.keysFile of the config." type:"path" env:"CODECELL_KEYS_FILE" placeholder:"FILE"`
	Config string `help:"Config file." type:"path" env:"CODECELL_CONFIG" placeholder:"FILE"`

	Add    keysAdd    `cmd:"" help:"Make a key and print it: it is shown this once."`
	List   keysList   `cmd:"" help:"List the keys. The keys themselves are not known to the file."`
	Revoke keysRevoke `cmd:"" help:"Make a key invalid. A service that is running notices within two seconds."`
}

// path finds the file.
func (k *keysCommand) path() (string, error) {
	if k.File != "" {
		return k.File, nil
	}
	c, err := loadConfig(k.Config)
	if err != nil {
		return "", usageError{err}
	}
	if c.Auth.KeysFile == "" {
		return "", usageError{errors.New("no file of keys: give --file, or a --config with auth.keysFile")}
	}
	return c.Auth.KeysFile, nil
}

// keysAdd is codecell keys add.
type keysAdd struct {
	Tenant  string       `arg:"" help:"Whose key it is."`
	ID      string       `help:"What the key is called. Default: the tenant and a number."`
	Role    keyring.Role `help:"run (cells, as the tenant) or admin (the admin listener)." enum:"run,admin" default:"run"`
	Expires string       `help:"When it ceases to be valid: after a time (90d, 12h) or at one (2027-01-31, 2027-01-31T12:00:00Z). Default: never." placeholder:"WHEN"`
}

// Run makes a key. The key alone goes to the standard output.
func (a *keysAdd) Run(t *terminal, parent *keysCommand) error {
	path, err := parent.path()
	if err != nil {
		return err
	}
	expires, err := expiry(a.Expires, time.Now())
	if err != nil {
		return usageError{err}
	}
	secret := keyring.Generate()
	k, err := keyring.Add(path, keyring.Key{ID: a.ID, Tenant: a.Tenant, SHA256: keyring.Hash(secret), Role: a.Role, Expires: expires})
	if err != nil {
		return err
	}
	fmt.Fprintf(t.err, "Key %s of %s, role %s, expires %s. It is not shown again:\n", k.ID, k.Tenant, k.Role, when(k.Expires, "never"))
	_, err = fmt.Fprintln(t.out, secret)
	return err
}

// expiry reads a time to come; no text is the zero time.
func expiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := timeOf(text, now)
	switch {
	case err != nil:
		return at, fmt.Errorf("--expires: %q is neither a duration, such as 90d or 12h, nor a date, such as 2027-01-31", text)
	case !at.After(now):
		return at, fmt.Errorf("--expires: %s is over already", text)
	}
	return at.UTC().Truncate(time.Second), nil
}

func timeOf(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return now.AddDate(0, 0, n), err
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(d), nil
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, nil
	}
	return time.Parse(time.RFC3339, text)
}

// when shows a time, or what the zero time means.
func when(at time.Time, zero string) string {
	if at.IsZero() {
		return zero
	}
	return at.Format(time.RFC3339)
}

// keysList is codecell keys list.
type keysList struct{}

// Run lists the keys of the file.
func (keysList) Run(t *terminal, parent *keysCommand) error {
	path, err := parent.path()
	if err != nil {
		return err
	}
	keys, err := keyring.Read(path)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tTENANT\tROLE\tCREATED\tEXPIRES")
	for _, k := range keys {
		expires := when(k.Expires, "never")
		if !k.Expires.IsZero() && !time.Now().Before(k.Expires) {
			expires += " (over)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.Tenant, k.Role, when(k.Created, "-"), expires)
	}
	return table.Flush()
}

// keysRevoke is codecell keys revoke.
type keysRevoke struct {
	ID string `arg:"" help:"The key, by its id."`
}

// Run takes a key out of the file.
func (r *keysRevoke) Run(t *terminal, parent *keysCommand) error {
	path, err := parent.path()
	if err != nil {
		return err
	}
	if err := keyring.Revoke(path, r.ID); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.err, "Key %s is revoked.\n", r.ID)
	return err
}
