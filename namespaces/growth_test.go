package namespaces

import (
	"fmt"
	"strings"
	"testing"

	"github.com/codecell/codecell/bench/growth"
)

// repeated is many texts with commas between.
func repeated(n int, format string) string {
	var text strings.Builder
	for i := range n {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, format, i)
	}
	return text.String()
}

func TestGrowth(t *testing.T) {
	for name, declare := range map[string]func(n int, d *Declaration){
		"the description": func(n int, d *Declaration) { d.Description = strings.Repeat("x", 100*n) },
		"the prompt":      func(n int, d *Declaration) { d.Prompt = strings.Repeat("é\n", 100*n) },
		"tools": func(n int, d *Declaration) {
			for i := range n {
				d.RequiredTools = append(d.RequiredTools, fmt.Sprintf("tool_%d", i))
			}
		},
		"members of the scope":   func(n int, d *Declaration) { d.Scope = []byte(`{` + repeated(n, `"m%d":1`) + `}`) },
		"functions of the scope": func(n int, d *Declaration) { d.Scope = []byte(`{` + repeated(n, `"m%d":{"$tool":"t"}`) + `}`) },
		"a list in the scope":    func(n int, d *Declaration) { d.Scope = []byte(`{"l":[` + repeated(n, `%d`) + `]}`) },
		"the depth of the scope": func(n int, d *Declaration) {
			d.Scope = []byte(strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n))
		},
		"a long key":  func(n int, d *Declaration) { d.Scope = []byte(`{"` + strings.Repeat("k", 100*n) + `":1}`) },
		"a long text": func(n int, d *Declaration) { d.Scope = []byte(`{"k":"` + strings.Repeat(`\n`, 100*n) + `"}`) },
	} {
		t.Run("H6 linear in what a client sizes: "+name, func(t *testing.T) {
			growth.Linear(t, 500, func(n int) func() {
				d := Declaration{PluginID: "p", GlobalName: "Global", RequiredTools: []string{"t"}, Scope: []byte(`{}`)}
				declare(n, &d)
				return func() {
					var r Registry // refused or not is all the same here
					_ = r.Declare("tenant", "id", d, func(int) error { return nil })
				}
			})
		})
	}
}
