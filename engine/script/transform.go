package script

import "github.com/evanw/esbuild/pkg/api"

// transformOptions leave modern syntax as it is but for what the guest's engine does not have, using declarations and
// decorators, or does wrongly: for await loops (see lowerLoops).
var transformOptions = api.TransformOptions{
	Loader:         api.LoaderTS,
	Target:         api.ESNext,
	Supported:      map[string]bool{"using": false, "decorators": false, "for-await": false},
	Sourcemap:      api.SourceMapExternal,
	SourcesContent: api.SourcesContentExclude,
	Charset:        api.CharsetUTF8, // escapes would move columns
	LegalComments:  api.LegalCommentsNone,
	TreeShaking:    api.TreeShakingFalse, // the wrapper is never called
	LogLevel:       api.LogLevelSilent,
	LogOverride:    silenced,
}

// silenced are the warnings that hostile text can provoke by the thousand. Nobody would read them, and placing each
// takes esbuild a walk over the text.
var silenced = map[string]api.LogLevel{
	"assign-to-constant":     api.LogLevelSilent,
	"duplicate-case":         api.LogLevelSilent,
	"duplicate-class-member": api.LogLevelSilent,
	"duplicate-object-key":   api.LogLevelSilent,
	"equals-nan":             api.LogLevelSilent,
	"equals-new-object":      api.LogLevelSilent,
	"impossible-typeof":      api.LogLevelSilent,
}
