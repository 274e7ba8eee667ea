package catalog

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// TestFormats holds each row to both of its directions: what Render writes, CheckPayload reads, and FilterPayload gives
// back byte for byte.
func TestFormats(t *testing.T) {
	surface := mustNew(t).Surface(Budget{}, nil)
	third := ModelTool{Name: "web_search", Label: "L", Description: `a "b" <c>`, Parameters: surface[1].Parameters}
	for i := range formats {
		f := &formats[i]
		t.Run("A6 what is rendered as "+f.name+" is read again", func(t *testing.T) {
			both := must(Render(f.name, surface))
			found, err := CheckPayload(both)
			require.NoError(t, err)
			require.True(t, found.OK, found.Problem)
			require.Equal(t, []string{"exec", "wait"}, found.Names)

			three := must(Render(f.name, []ModelTool{surface[0], third, surface[1]}))
			found, err = CheckPayload(three)
			require.NoError(t, err)
			require.False(t, found.OK)
			require.Equal(t, []string{"exec", "web_search", "wait"}, found.Names)
			require.JSONEq(t, string(both), string(must(FilterPayload(three))))
			require.Equal(t, string(both), string(must(FilterPayload(both))))
		})
		t.Run("A5 every part of a tool is in "+f.name, func(t *testing.T) {
			item := gjson.ParseBytes(must(Render(f.name, []ModelTool{third}))).Get("0")
			if len(f.groups) > 0 {
				item = item.Get(f.groups[0] + ".0")
			}
			require.Equal(t, f.kind, item.Get("type").String())
			if f.nest != "" {
				item = item.Get(f.nest)
			}
			require.Equal(t, third.Name, item.Get("name").String())
			require.Equal(t, third.Description, item.Get("description").String())
			require.JSONEq(t, string(third.Parameters), item.Get(f.schema).Raw)
			if f.label != "" {
				require.Equal(t, third.Label, item.Get(f.label).String())
			}
		})
	}
	t.Run("A5 the API's description lists the same formats", func(t *testing.T) {
		spec, err := os.ReadFile("../server/openapi.json")
		require.NoError(t, err)
		var names []string
		for _, f := range formats[1:] {
			names = append(names, f.name)
		}
		var listed []string
		for _, p := range gjson.GetBytes(spec, `paths./v1/turns.post.parameters`).Array() {
			if p.Get("name").String() == "format" {
				for _, v := range p.Get("schema.enum").Array() {
					listed = append(listed, v.String())
				}
			}
		}
		require.Equal(t, names, listed)
	})
}
