package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/codecell/codecell/bridge/audit"
	"github.com/codecell/codecell/bridge/redact"
	"github.com/codecell/codecell/server/keyring"
)

// AuditConfig is for the audit file.
type AuditConfig struct {
	// File is appended to: a line for each exec, wait and nested call, with the hash of the line before. While it can't be written
	// no tool is called. Default: none.
	File string `json:"file"`
}

// open returns nil for no file.
func (c AuditConfig) open(logger *slog.Logger) (*audit.Log, error) {
	if c.File == "" {
		return nil, nil
	}
	return audit.Open(c.File, logger)
}

// auditPatience is how long the end of the service waits for the audit file.
const auditPatience = 5 * time.Second

func closeAudit(l *audit.Log) error {
	if l == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), auditPatience)
	defer cancel()
	return l.Close(ctx)
}

// RedactConfig is what an operator knows to be secret.
type RedactConfig struct {
	// Names are parts of the names of secrets, such as employeeNumber, besides password, token and the like.
	Names []string `json:"names"`
	// Values are hidden wherever they stand, as the keys and headers in this config are. At least 6 bytes each.
	Values []string `json:"values"`
}

// Bounds of what an operator lists.
const (
	minRedactedName  = 3
	minRedactedValue = 6
)

func (c RedactConfig) check() error {
	for n, name := range c.Names {
		if len(name) < minRedactedName {
			return fmt.Errorf("redact.names[%d] must have at least %d bytes", n, minRedactedName)
		}
	}
	for n, value := range c.Values {
		if len(value) < minRedactedValue {
			return fmt.Errorf("redact.values[%d] must have at least %d bytes", n, minRedactedValue)
		}
	}
	return nil
}

// redactor hides the secrets of this config: keys, the headers that are sent, what MCP servers are given. API keys are hidden
// as long as they are known to the ring.
func (c Config) redactor(ring *keyring.Ring) *redact.Redactor {
	secrets := append([]string{c.Executors.SigningKey, c.Snapshot.Key}, c.Redact.Values...)
	secrets = slices.AppendSeq(secrets, maps.Values(c.Executors.SigningKeys))
	signing := c.Executors.signingKeys()
	for _, tenant := range ring.Tenants() {
		secrets = append(secrets, string(signing.Of(tenant)), hex.EncodeToString(signing.Of(tenant)))
	}
	secrets = append(append(secrets, redact.Configured(c.Traces.Headers)...), redact.ConfiguredURL(c.Traces.Endpoint)...)
	for _, h := range c.Hooks {
		secrets = append(append(secrets, redact.Configured(h.Headers)...), redact.ConfiguredURL(h.URL)...)
	}
	for _, s := range c.MCPServers {
		secrets = append(append(secrets, redact.Configured(s.Headers)...), redact.Configured(s.Env)...)
		secrets = append(secrets, redact.ConfiguredURL(s.URL)...)
	}
	return redact.New(redact.Options{Names: c.Redact.Names, Values: secrets, Known: func(word string) bool {
		_, err := ring.Find(word)
		return !errors.Is(err, keyring.ErrUnknown)
	}})
}

// auditCommand is codecell audit.
type auditCommand struct {
	Verify auditVerifyCommand `cmd:"" help:"Find out whether an audit file was changed."`
}

// auditVerifyCommand is codecell audit verify.
type auditVerifyCommand struct {
	File string `arg:"" help:"The audit file." type:"path"`
}

// errCut ends a command that has said so.
var errCut = errors.New("the last line is unfinished")

// Run says whether the file is sound, or which line is the first that is not.
func (v auditVerifyCommand) Run(t *terminal) error {
	f, err := os.Open(v.File)
	if err != nil {
		return usageError{err}
	}
	defer f.Close()
	r, err := audit.Verify(f)
	if err != nil {
		return err
	}
	for _, line := range r.Torn {
		fmt.Fprintf(t.out, "line %d is unfinished: the service was killed while it wrote it, and noted that when it was started again\n", line)
	}
	switch {
	case r.Broken > 0:
		fmt.Fprintf(t.out, "%s: line %d is broken: %s\n", v.File, r.Broken, r.Why)
		return errFailed
	case r.Cut:
		fmt.Fprintf(t.out, "%s: %d lines are sound, the last has the hash %s; line %d is unfinished: the service was killed while it wrote it, or is writing it now\n",
			v.File, r.Lines, r.Head, r.Lines+1)
		return errCut
	}
	fmt.Fprintf(t.out, "%s: %d lines are sound, the last has the hash %s\n", v.File, r.Lines, r.Head)
	return nil
}
