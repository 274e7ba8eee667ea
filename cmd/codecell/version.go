package main

import (
	"fmt"
	"runtime/debug"
)

// versionCommand is codecell version.
type versionCommand struct{}

// Run prints the module's version, the commit it was built from, and the Go version, as far as the build recorded them.
func (versionCommand) Run(t *terminal) error {
	_, err := fmt.Fprintln(t.out, version())
	return err
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "codecell (unknown build)"
	}
	text := "codecell " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			text += " " + s.Value
		}
	}
	return text + " " + info.GoVersion
}
