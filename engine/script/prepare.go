package script

import "strings"

// Prepare turns the text that a model wrote into the body that the guest compiles: Check and Parse in turn, in this
// process and without a limit on time. Every error is an *Error. Blank cells, unknown languages and disabled ones are
// the caller's to refuse first (contract B1); a fence with nothing in it is refused here.
//
// It does as little as the cell allows: a cell that neither mentions modules nor starts like a shell command is taken
// as it is, whatever else may be wrong with it, for the guest's own parser words syntax errors best.
func Prepare(code string, lang Language, o Options) (*Source, error) {
	text, source, err := Check(code, lang, o)
	if err != nil || source != nil {
		return source, err
	}
	return Parse(text, lang, o)
}

// Check does what needs no parser, in time linear in the text. It returns the Source if that is all there is to do,
// else the cell's text, without the fence around it, for Parse. Every error is an *Error.
func Check(code string, lang Language, o Options) (text string, source *Source, err error) {
	limit := o.MaxBytes
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	if len(code) > limit {
		return "", nil, sizeError(len(code), limit)
	}
	if code, err = unwrapped(code, o); err != nil {
		return "", nil, err
	}
	if strings.TrimSpace(code) == "" {
		return "", nil, blankError()
	}
	if lang == TypeScript || needsParser(code) {
		return code, nil, nil
	}
	return code, &Source{Body: code}, nil
}

// needsParser says whether only a parser can tell that a JavaScript cell is in order.
func needsParser(code string) bool {
	_, suspected := suspect(code)
	return suspected || mentionsModules(code) || forAwait.MatchString(code)
}

// Parse prepares a text that Check has let through. What it costs is up to the parsers: hostile texts keep them busy
// for seconds and take hundreds of megabytes, so texts above MaxInProcess belong in a process of their own, which can
// be killed. Every error is an *Error.
func Parse(text string, lang Language, o Options) (*Source, error) {
	if lang == TypeScript {
		return prepareTypeScript(text, o)
	}
	return prepareJavaScript(text, o)
}

// MaxInProcess is the size in bytes up to which no known text is worth a process of its own: the worst take 30 ms of
// processor time.
const MaxInProcess = 8 << 10

// prepareJavaScript checks a cell that the guest will run as it is.
func prepareJavaScript(code string, o Options) (*Source, error) {
	odd, suspected := suspect(code)
	mentioned := mentionsModules(code)
	if !suspected && !mentioned {
		return lowerLoops(code), nil
	}
	plain := plainNames(code)
	ast := parseBody(plain)
	if suspected && odd.isShell(ast) {
		return nil, shellError(code, o.ShellTool)
	}
	if !mentioned {
		return lowerLoops(code), nil
	}
	if ast != nil && !usesModules(ast) {
		return lowerLoops(code), nil
	}
	// There is access in the tree, or no tree: the tokens tell where, and, in a text that does not parse, whether.
	found := scanModules(plain).find()
	if ast != nil || found != nil {
		return nil, moduleError(code, found)
	}
	return lowerLoops(code), nil
}
