package script

import (
	"regexp"

	"github.com/evanw/esbuild/pkg/api"
)

// forAwait is a for await loop, or looks like one: a text that only mentions it is lowered for nothing.
var forAwait = regexp.MustCompile(`\bfor(?:\s|/\*(?:[^*]|\*[^/])*\*/|//[^\n]*\n)*await\b`)

// loopOptions leave a JavaScript cell as it is but for its for await loops.
var loopOptions = func() api.TransformOptions {
	o := transformOptions
	o.Loader = api.LoaderJS
	o.Supported = map[string]bool{"for-await": false}
	return o
}()

// lowerLoops gives for await loops the meaning that they have in the language. The guest's engines close an iterator
// that has ended, or that failed, and go on without waiting for one that a break or an error closes. A cell that can't
// be lowered stays as it is: the guest's own parser words syntax errors best.
func lowerLoops(code string) *Source {
	asItIs := &Source{Body: code}
	if !forAwait.MatchString(code) || checkExtent(code) != nil {
		return asItIs
	}
	result := api.Transform(wrapperHead+code+wrapperTail, loopOptions)
	if len(result.Errors) > 0 {
		return asItIs
	}
	source, err := unwrap(code, result)
	if err != nil {
		return asItIs
	}
	return source
}
