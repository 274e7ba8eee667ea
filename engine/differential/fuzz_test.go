//go:build cgo

package differential

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// lines returns the strings that a program returned.
func lines(steps []executed) []string {
	var out []string
	if len(steps) == 0 {
		return nil
	}
	_ = json.Unmarshal(steps[len(steps)-1].effects.Main.Value, &out)
	return out
}

// generator writes programs that work on a few variables and suspend now and then. Every program ends.
type generator struct {
	r     *rand.Rand
	depth int
}

func (g *generator) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *generator) variable() string { return g.pick("a", "b", "c", "o", "m", "s") }

func (g *generator) expression() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 4 {
		return g.pick("1", "-2.5", `"text"`, "a", "b", "null", "undefined", "7n", "[1, 2]", "{}", "true", "NaN")
	}
	e := g.expression
	switch g.r.IntN(16) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", e(), g.pick("+", "-", "*", "/", "%", "<", ">", "==", "===", "&", "|", "^", "<<", ">>>", "&&", "||", "??", ","), e())
	case 1:
		return fmt.Sprintf("[%s, ...%s]", e(), g.pick("c", "[a, b]", "[...s]"))
	case 2:
		return fmt.Sprintf("({x: %s, [String(%s)]: %s, ...o})", e(), e(), e())
	case 3:
		return fmt.Sprintf("String(%s)", e())
	case 4:
		return fmt.Sprintf("((p, q = %s) => [p, q])(%s)", e(), e())
	case 5:
		return fmt.Sprintf("JSON.stringify(%s)", e())
	case 6:
		return fmt.Sprintf("c.map((v, i) => %s)", e())
	case 7:
		return fmt.Sprintf("(%s ? %s : %s)", e(), e(), e())
	case 8:
		return fmt.Sprintf("`${%s}-${%s}`.slice(0, 40)", e(), e())
	case 9:
		return g.pick("m.get(a)", "m.size", "s.has(b)", "Object.keys(o)", "c.length", "[...m.keys()]", "typeof a", "o.x?.y", "k.next(b)", "k.next().value", "priv.bump()", "d.toISOString()")
	case 10:
		return fmt.Sprintf("Math.%s(%s)", g.pick("floor", "abs", "trunc", "sign", "fround", "sqrt"), e())
	case 11:
		return fmt.Sprintf("[3, 1, 2, %s].sort((x, y) => x > y ? 1 : -1)", e())
	case 12:
		return fmt.Sprintf("String(%s).replace(/[a-z](\\d*)/g, (t) => t.toUpperCase())", e())
	default:
		return g.variable()
	}
}

func (g *generator) statement() string {
	g.depth++
	defer func() { g.depth-- }()
	e := g.expression
	n := g.r.IntN(14)
	if g.depth > 3 {
		n = g.r.IntN(6)
	}
	switch n {
	case 0:
		return fmt.Sprintf("m.set(%s, %s);", e(), e())
	case 1:
		return fmt.Sprintf("s.add(%s);", e())
	case 2:
		return fmt.Sprintf("c = c.concat(%s).slice(-20);", e())
	case 3:
		return fmt.Sprintf("o[String(%s).slice(0, 10)] = %s;", e(), e())
	case 4:
		return fmt.Sprintf("%s(%s);", g.pick("text", "json", "console.log"), e())
	case 6:
		return fmt.Sprintf("if (%s) { %s } else { %s }", e(), g.statement(), g.statement())
	case 7:
		return fmt.Sprintf("for (let i = 0; i < %d; i++) { %s }", g.r.IntN(6), g.statement())
	case 8:
		return fmt.Sprintf("try { %s throw %s } catch (e) { a = e instanceof Error ? e.message : e }", g.statement(), e())
	case 9:
		return fmt.Sprintf("a = await tools.%s(%s).catch((e) => e.code);", g.pick("echo", "read"), e())
	case 10:
		return fmt.Sprintf("[a, b] = await Promise.all([tools.echo(%s).catch(String), yield_control(), Promise.resolve(%s)]);", e(), e())
	case 11:
		return fmt.Sprintf("setTimeout(() => { b = %s }, %d);", e(), g.r.IntN(50))
	case 12:
		return "await yield_control();"
	default:
		return fmt.Sprintf("%s = %s;", g.pick("a", "b"), e())
	}
}

// program returns a whole cell. Whatever goes wrong in it is a value, too.
func (g *generator) program() string {
	var b strings.Builder
	b.WriteString(`let a = 1, b = "two", c = [1, 2, 3], o = {x: {y: 1}}; const m = new Map([[1, "one"]]), s = new Set(["a"]), d = new Date(1e12);
		const k = (function* () { let t = 0; for (let i = 0; i < 50; i++) t = yield [t, i] })(); class P { #n = 0; bump() { return ++this.#n } } const priv = new P();
		try {`)
	for range 3 + g.r.IntN(8) {
		b.WriteString("\n" + g.statement())
	}
	b.WriteString(`
		} catch (e) { a = String(e) }
		return [a, b, c, o, [...m].length, s.size, priv.bump()].map((v) => { try { return JSON.stringify(v) ?? String(v) } catch (e) { return String(e) } })`)
	return b.String()
}

func TestGeneratedPrograms(t *testing.T) {
	p := newPair(t)
	completed := 0
	for seed := range uint64(400) {
		g := generator{r: newRand(seed)}
		source := g.program()
		steps := play(t, p.native, source, newRand(seed))
		if last := steps[len(steps)-1]; last.err == nil && last.effects.Main.Value != nil {
			completed++
		}
		if !t.Run(fmt.Sprintf("C4 seed %d", seed), func(t *testing.T) { p.agree(t, source, seed) }) {
			t.Log(source)
		}
	}
	require.Greater(t, completed, 200, "most programs must be sound, or nothing is compared")
}

// FuzzEnginesAgree makes a program of a seed, or takes one as it is.
func FuzzEnginesAgree(f *testing.F) {
	names := make([]string, 0, len(programs))
	for name := range programs {
		names = append(names, name)
	}
	slices.Sort(names)
	for n, name := range names {
		f.Add(expand(programs[name], `await yield_control()`), uint64(n))
	}
	f.Add("", uint64(7))
	p := newPair(f)
	f.Fuzz(func(t *testing.T, source string, seed uint64) {
		if source == "" {
			g := generator{r: newRand(seed)}
			source = g.program()
		}
		if strings.Contains(source, "Math.") || len(source) > 4000 || strings.Contains(source, "\x00") {
			return // roundings differ, which TestRoundings counts
		}
		p.agree(t, strings.ToValidUTF8(source, "?"), seed)
	})
}
