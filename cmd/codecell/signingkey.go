package main

import (
	"encoding/hex"
	"errors"
	"fmt"
)

// signingKeyCommand is codecell signing-key.
type signingKeyCommand struct {
	Tenant     string `arg:"" help:"The tenant: the id of its API key."`
	Config     string `help:"Config file." type:"path" env:"CODECELL_CONFIG"`
	SigningKey string `help:"The service's signing key, over that of the config." env:"CODECELL_SIGNING_KEY"`
}

// Run prints, in hex, the key that requests to a tenant's tools are signed with (contract G3).
func (s signingKeyCommand) Run(t *terminal) error {
	c, err := loadConfig(s.Config)
	if err != nil {
		return usageError{err}
	}
	if s.SigningKey != "" {
		c.Executors.SigningKey = s.SigningKey
	}
	key := c.Executors.signingKeys().Of(s.Tenant)
	if len(key) == 0 {
		return usageError{errors.New("no key: set executors.signingKey, or one for the tenant in executors.signingKeys")}
	}
	_, err = fmt.Fprintln(t.out, hex.EncodeToString(key))
	return err
}
