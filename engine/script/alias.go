package script

// Resolve replaces the name that a path begins with by what the cell made it stand for: const gh = MCP.gitHub, or
// const { create } = tools. Names that are given values in several places stay.
func (r *Reading) Resolve(path []string) []string {
	for range maxAliases {
		if r == nil || r.tired() || r.declared(path[0]) != 1 {
			return path
		}
		origin := r.origin(path[0])
		if origin == nil {
			return path
		}
		path = append(origin[:len(origin):len(origin)], path[1:]...)
	}
	return path
}

// maxAliases bounds how many names are followed from one to the next.
const maxAliases = 3

// origin is the path that a name was declared as, nil if it was not.
func (r *Reading) origin(name string) []string {
	for i := range r.tokens {
		if !r.isWord(i) || r.text(i) != name || !r.bindsAt(i) {
			continue
		}
		if r.text(i+1) == "=" {
			names, _ := r.outline.path(i+2, r.expressionEnd(i+2)-1)
			return names
		}
		// const { name } = path, or const { property: name } = path.
		open := r.around(i)
		if open < 0 || r.text(open) != "{" || r.text(r.closer(open)+1) != "=" {
			return nil
		}
		property := name
		if r.text(i-1) == ":" {
			property = r.text(i - 2)
		}
		from := r.closer(open) + 2
		names, ok := r.outline.path(from, r.expressionEnd(from)-1)
		if !ok {
			return nil
		}
		return append(names, property)
	}
	return nil
}

// Declares says whether the cell has a variable of that name.
func (r *Reading) Declares(name string) bool { return r.declared(name) > 0 }
