package script

import (
	"runtime"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// transformOptions leave modern syntax as it is but for what the guest's engine
// does not have: using declarations and decorators.
var transformOptions = api.TransformOptions{
	Loader:         api.LoaderTS,
	Target:         api.ESNext,
	Supported:      map[string]bool{"using": false, "decorators": false},
	Sourcemap:      api.SourceMapExternal,
	SourcesContent: api.SourcesContentExclude,
	Charset:        api.CharsetUTF8, // escapes would move columns
	LegalComments:  api.LegalCommentsNone,
	TreeShaking:    api.TreeShakingFalse, // the wrapper is never called
	LogLevel:       api.LogLevelSilent,
	LogOverride:    silenced,
}

// silenced are the warnings that hostile text can provoke by the thousand.
// Nobody would read them, and placing each takes esbuild a walk over the text.
var silenced = map[string]api.LogLevel{
	"assign-to-constant":     api.LogLevelSilent,
	"duplicate-case":         api.LogLevelSilent,
	"duplicate-class-member": api.LogLevelSilent,
	"duplicate-object-key":   api.LogLevelSilent,
	"equals-nan":             api.LogLevelSilent,
	"equals-new-object":      api.LogLevelSilent,
	"impossible-typeof":      api.LogLevelSilent,
}

// transformTime bounds how long a caller waits for a transform. Ordinary cells
// take a millisecond.
const transformTime = 3 * time.Second

// transforming bounds how many transforms run at once, over all callers. esbuild
// can't be stopped, and some texts (tens of thousands of redeclarations on one
// line) are known to keep it busy for many seconds; one that its caller has given
// up on keeps its place until it ends, so that such texts never pile up.
var transforming = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))

// transform runs esbuild on a text. It returns false if there was no result in
// time.
func transform(text string) (api.TransformResult, bool) {
	timer := time.NewTimer(transformTime)
	defer timer.Stop()
	select {
	case transforming <- struct{}{}:
	case <-timer.C:
		return api.TransformResult{}, false
	}
	done := make(chan api.TransformResult, 1)
	go func() {
		defer func() { <-transforming }()
		done <- api.Transform(text, transformOptions)
	}()
	select {
	case result := <-done:
		return result, true
	case <-timer.C:
		return api.TransformResult{}, false
	}
}
