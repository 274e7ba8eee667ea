package main

import (
	"context"
	"log/slog"
	"maps"
	"math"
	"os"
	"slices"
	"sync/atomic"
)

// reloader applies what has changed in a config while the service runs.
type reloader struct {
	flags *configFlags
	now   Config
	app   *app
	level *slog.LevelVar
	// logRequests is what the server asks for, as the bits of a number.
	logRequests *atomic.Uint64
}

// run reloads whenever it is told to, until ctx ends.
func (r *reloader) run(ctx context.Context, hangup <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			r.reload()
		}
	}
}

// reload reads the config again. One that can't be used changes nothing. Of one that can, what needs a restart is said.
func (r *reloader) reload() {
	log := r.app.logger
	if _, err := r.app.keys.Reload(); err != nil {
		r.app.keysChanged(err)
	}
	next, err := r.flags.config()
	if err != nil {
		log.Error("the config was not reloaded; the service goes on with the one it has", "error", err)
		return
	}
	live, rest, err := changes(r.now, next)
	if err != nil {
		log.Error("the config was not reloaded", "error", err)
		return
	}
	codeMode, err := r.now.codeMode()
	if err == nil {
		err = r.app.keys.Replace(next.Auth.Keys)
	}
	if err != nil {
		log.Error("the config was not reloaded", "error", err)
		return
	}
	if level, err := next.level(); err == nil && next.LogLevel != r.now.LogLevel {
		r.level.Set(level)
	}
	r.app.tenants.set(next, codeMode)
	r.logRequests.Store(math.Float64bits(next.LogRequests))
	r.now.LogRequests = next.LogRequests
	r.now.LogLevel, r.now.Tenants, r.now.Auth.Keys = next.LogLevel, next.Tenants, next.Auth.Keys
	log.Info("the config was reloaded", "changed", live)
	if len(rest) > 0 {
		log.Warn("the config has changes that need a restart", "keys", rest)
	}
}

// changes are the paths of values that differ: those that can be changed now, and those that need a restart.
func changes(before, after Config) (live, rest []string, err error) {
	old, err := flatten(before)
	if err != nil {
		return nil, nil, err
	}
	fresh, err := flatten(after)
	if err != nil {
		return nil, nil, err
	}
	all := maps.Clone(old)
	maps.Copy(all, fresh)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		switch {
		case old[path] == fresh[path]:
		case changesLive(path):
			live = append(live, path)
		default:
			rest = append(rest, path)
		}
	}
	return live, rest, nil
}

// changesLive says whether a value, or what it is in, can be changed while the service runs.
func changesLive(path string) bool {
	for ; path != ""; path = parentOf(path) {
		if s := settingAt(path); s != nil && s.live() {
			return true
		}
	}
	return false
}
