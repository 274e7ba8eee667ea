package script

// maxWrappings is how many wrappings may stand around one another: a call's tags, its arguments as JSON, a fence.
const maxWrappings = 6

// unwrapped returns the program inside of what a model has put around it, where it is clear which text is meant (contract B4). Lines
// keep their numbers, but for a program that was sent as JSON.
func unwrapped(code string, o Options) (string, error) {
	fenced := false
	for range maxWrappings {
		if inner, ok := takeOff(code); ok {
			code = inner
			continue
		}
		if fenced {
			break
		}
		f, ok := findFence(code)
		if !ok {
			var unclear *Error
			if f, ok, unclear = findChat(code); unclear != nil {
				return "", unclear
			}
		}
		if !ok {
			break
		}
		if shellInfos[f.info] {
			return "", shellError(f.code, o.ShellTool)
		}
		code, fenced = f.code, true
	}
	return code, nil
}

// takeOff removes one wrapping that is no fence.
func takeOff(code string) (string, bool) {
	if inner, ok := sentArguments(code); ok {
		return inner, true
	}
	if inner, ok := insideTag(code); ok {
		return inner, true
	}
	return belowLanguage(code)
}
