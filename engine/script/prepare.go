package script

import "strings"

// Prepare turns the text that a model wrote into the body that the guest
// compiles. Every error is an *Error. Blank cells, unknown languages and
// disabled ones are the caller's to refuse first (contract B1); a fence with
// nothing in it is refused here.
//
// It does as little as the cell allows: a cell that neither mentions modules nor
// starts like a shell command is taken as it is, whatever else may be wrong with
// it, for the guest's own parser words syntax errors best.
func Prepare(code string, lang Language, o Options) (*Source, error) {
	limit := o.MaxBytes
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	if len(code) > limit {
		return nil, sizeError(len(code), limit)
	}
	if f, ok := findFence(code); ok {
		if shellInfos[f.info] {
			return nil, shellError(f.code, o.ShellTool)
		}
		code = f.code
	}
	if strings.TrimSpace(code) == "" {
		return nil, blankError()
	}
	if lang == TypeScript {
		return prepareTypeScript(code, o)
	}
	return prepareJavaScript(code, o)
}

// prepareJavaScript checks a cell that the guest will run as it is.
func prepareJavaScript(code string, o Options) (*Source, error) {
	odd, suspected := suspect(code)
	mentioned := mentionsModules(code)
	if !suspected && !mentioned {
		return &Source{Body: code}, nil
	}
	plain := plainNames(code)
	ast := parseBody(plain)
	if suspected && odd.isShell(ast) {
		return nil, shellError(code, o.ShellTool)
	}
	if !mentioned {
		return &Source{Body: code}, nil
	}
	if ast != nil && !usesModules(ast) {
		return &Source{Body: code}, nil
	}
	// There is access in the tree, or no tree: the tokens tell where, and, in a
	// text that does not parse, whether.
	found := scanModules(plain).find()
	if ast != nil || found != nil {
		return nil, moduleError(code, found)
	}
	return &Source{Body: code}, nil
}
