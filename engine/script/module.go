package script

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// mentionsModules says whether a text could reach for modules at all. Nearly all cells don't have the words, and then
// need no parser.
func mentionsModules(code string) bool {
	if strings.Contains(code, "import") || strings.Contains(code, "require") {
		return true
	}
	if !strings.Contains(code, `\u`) {
		return false
	}
	plain := decodeEscapes(code)
	return strings.Contains(plain, "import") || strings.Contains(plain, "require")
}

// plainNames writes the names that module access turns on without their Unicode escapes, so that r\u0065quire and
// require are one variable to the parser, as they are to the guest. Blanks make up for the length: no position moves.
func plainNames(code string) string {
	if !strings.Contains(code, `\u`) {
		return code
	}
	var b strings.Builder
	done := 0
	s := newScanner(code)
	for t := s.next(); t.kind != kindEnd; t = s.next() {
		text := s.text(t)
		if t.kind != kindWord || !strings.Contains(text, `\`) {
			continue
		}
		if name := decodeEscapes(text); name == "require" || name == "module" {
			b.WriteString(code[done:t.start])
			b.WriteString(name)
			b.WriteString(strings.Repeat(" ", len(text)-len(name)))
			done = t.end
		}
	}
	if done == 0 {
		return code
	}
	b.WriteString(code[done:])
	return b.String()
}

// usesModules says whether a parsed cell imports anything or refers to a free require or module.require (contract B3).
func usesModules(ast *js.AST) bool {
	v := &moduleVisitor{}
	js.Walk(v, ast)
	return v.found
}

type moduleVisitor struct{ found bool }

// Enter looks at one node; it returns nil where its children are not to be seen.
func (v *moduleVisitor) Enter(n js.INode) js.IVisitor {
	if v.found {
		return nil
	}
	switch n := n.(type) {
	case *js.LiteralExpr:
		v.found = n.TokenType == js.ImportToken
	case *js.ImportMetaExpr:
		v.found = true
	case *js.Var:
		v.found = isFree(n, "require")
	case *js.UnaryExpr:
		// typeof of an undeclared name is harmless: it answers "undefined".
		if name, ok := n.X.(*js.Var); ok && n.Op == js.TypeofToken && isFree(name, "require") {
			return nil
		}
	case *js.DotExpr:
		v.found = isModule(n.X) && literalIs(n.Y, "require")
	case *js.IndexExpr:
		v.found = isModule(n.X) && literalIs(n.Y, "require")
	}
	return v
}

// Exit is part of js.IVisitor.
func (v *moduleVisitor) Exit(js.INode) {}

// isModule says whether an expression is the free variable module, in parentheses or not.
func isModule(x js.IExpr) bool {
	for {
		group, ok := x.(*js.GroupExpr)
		if !ok {
			break
		}
		x = group.X
	}
	v, ok := x.(*js.Var)
	return ok && isFree(v, "module")
}

// literalIs says whether an expression is a name or a constant string of the given text.
func literalIs(x js.IExpr, text string) bool {
	switch x := x.(type) {
	case js.LiteralExpr: // behind a point
		return string(x.Data) == text
	case *js.LiteralExpr: // between brackets
		return strings.Trim(string(x.Data), `'"`) == text
	case *js.TemplateExpr:
		return x.Tag == nil && len(x.List) == 0 && strings.Trim(string(x.Tail), "`") == text
	}
	return false
}
