package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// configFlags are what a service's config is made of, and the flags that are laid over it.
type configFlags struct {
	Listen        string   `help:"Address to serve on; anything but loopback needs API keys. Default 127.0.0.1:8080." env:"CODECELL_LISTEN" placeholder:"HOST:PORT"`
	Config        string   `help:"Config file, JSON5." env:"CODECELL_CONFIG" type:"path" placeholder:"FILE"`
	TestExecutors *bool    `help:"Enable the echo executor, which lets a turn invent its tools' answers. For tests only." env:"CODECELL_TEST_EXECUTORS"`
	AdminListen   string   `help:"Address of the admin listener; anything but loopback needs a key with the role admin. Default: none." env:"CODECELL_ADMIN_LISTEN" placeholder:"HOST:PORT"`
	LogLevel      string   `help:"debug, info, warn or error. Default info." env:"CODECELL_LOG_LEVEL" placeholder:"LEVEL"`
	SigningKey    string   `help:"Signs the requests of http executors." env:"CODECELL_SIGNING_KEY" placeholder:"KEY"`
	Set           []string `help:"Set any key of the config, such as engine.threads=4. May be repeated." sep:"none" placeholder:"KEY=VALUE"`
}

// source lays the flags over the environment and the file.
func (f *configFlags) source() (*source, error) {
	s, err := readSource(f.Config)
	if err != nil {
		return nil, err
	}
	for _, set := range f.Set {
		key, value, ok := strings.Cut(set, "=")
		if !ok {
			return nil, fmt.Errorf("--set takes KEY=VALUE, not %q", set)
		}
		if err := s.set(key, value, "--set"); err != nil {
			return nil, err
		}
	}
	flags := []struct{ flag, path, value string }{
		{"listen", "listen", f.Listen},
		{"admin-listen", "admin.listen", f.AdminListen},
		{"log-level", "logLevel", f.LogLevel},
		{"signing-key", "executors.signingKey", f.SigningKey},
	}
	if f.TestExecutors != nil {
		flags = append(flags, struct{ flag, path, value string }{"test-executors", "testExecutors", fmt.Sprint(*f.TestExecutors)})
	}
	for _, flag := range flags {
		variable := "CODECELL_" + strings.ReplaceAll(strings.ToUpper(flag.flag), "-", "_")
		origin := "--" + flag.flag
		if os.Getenv(variable) == flag.value {
			origin = variable // kong has read it
		}
		if flag.value == "" {
			continue
		}
		if err := s.set(flag.path, flag.value, origin); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// config is what all of it comes to.
func (f *configFlags) config() (Config, error) {
	s, err := f.source()
	if err != nil {
		return Config{}, err
	}
	return s.checked()
}

// configCommand is codecell config.
type configCommand struct {
	Check configCheck `cmd:"" help:"Say whether a config can be used."`
	Print configPrint `cmd:"" help:"Print what file, variables and flags come to, and where each value is from."`
}

// configCheck is codecell config check.
type configCheck struct{ configFlags }

// Run checks.
func (c *configCheck) Run(t *terminal) error {
	if _, err := c.config(); err != nil {
		return usageError{err}
	}
	_, err := fmt.Fprintln(t.out, "The config can be used.")
	return err
}

// configPrint is codecell config print.
type configPrint struct{ configFlags }

// Run prints. Secrets are not shown, and keys that nobody has set and that have no default of their own are left out.
func (c *configPrint) Run(t *terminal) error {
	s, err := c.source()
	if err != nil {
		return usageError{err}
	}
	checked, err := s.checked()
	if err != nil {
		return usageError{err}
	}
	values, err := flatten(checked)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(values)) {
		origin := s.from(path)
		switch {
		case origin == "" && empty(values[path]):
			continue
		case origin == "":
			origin = s.originOf(path)
		}
		if origin == "" {
			origin = "default"
		}
		shown := values[path]
		if hidden(path) {
			shown = "(hidden)"
		}
		if _, err := fmt.Fprintf(t.out, "%-40s %s\n", path+" = "+shown, "// "+origin); err != nil {
			return err
		}
	}
	return nil
}

// originOf says where a value is from whose key was not set by itself: in what is no key of the table, or with all of a map
// or a list.
func (s *source) originOf(path string) string {
	for isKey := false; path != "" && !isKey; path = parentOf(path) {
		if origin := s.from(path); origin != "" {
			return origin
		}
		at := settingAt(path)
		isKey = at != nil && !strings.ContainsAny(at.path, "*[")
	}
	return ""
}

func empty(value string) bool {
	return slices.Contains([]string{`""`, "0", "false", "null", "[]", "{}", `"0001-01-01T00:00:00Z"`}, value)
}

// hidden says whether a value, or what it is in, is a secret.
func hidden(path string) bool {
	for ; path != ""; path = parentOf(path) {
		if s := settingAt(path); s != nil && s.secret() {
			return true
		}
	}
	return false
}

// flatten returns the values of a config, as JSON, by their paths.
func flatten(c Config) (map[string]string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	flat := map[string]string{}
	flattenInto(flat, "", tree)
	return flat, nil
}

func flattenInto(flat map[string]string, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			flattenInto(flat, inside(path, key), inner)
		}
		return
	case []any:
		if len(v) > 0 {
			if _, ok := v[0].(map[string]any); ok {
				for n, inner := range v {
					flattenInto(flat, fmt.Sprintf("%s[%d]", path, n), inner)
				}
				return
			}
		}
	}
	text, _ := json.Marshal(value) // which was made of JSON
	flat[path] = string(text)
}
