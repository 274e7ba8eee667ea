package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asShop {
		if err := serveShop(context.Background()); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestDemo(t *testing.T) {
	codecell := filepath.Join(t.TempDir(), "codecell")
	out, err := exec.Command("go", "build", "-o", codecell, "../codecell").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var told strings.Builder
	require.NoError(t, demo(t.Context(), codecell, &told))
	line := func(start string) []string {
		for l := range strings.Lines(told.String()) {
			if rest, ok := strings.CutPrefix(l, start); ok {
				return strings.Fields(rest)
			}
		}
		return nil
	}
	t.Run("E1 F1 the cell joins what two MCP servers and a plugin know", func(t *testing.T) {
		require.Contains(t, told.String(), `[{"customer":"Lighthouse Hotels","order":"A-1","sku":"lamp","ticket":"T-A-1"},{"customer":"Northern Schools","order":"A-6","sku":"board","ticket":"T-A-6"}]`)
	})
	t.Run("A4 turns of the model are saved", func(t *testing.T) {
		require.Equal(t, []string{"5", "2", "3"}, line("turns of the model, at least"))
		require.Equal(t, fmt.Sprint(len(shopTools)+len(crmTools)+len(desk)), line("tools that the model is shown")[0])
	})
	t.Run("A4 tokens of schemas are saved, in each turn and in all", func(t *testing.T) {
		for _, what := range []string{"schema tokens in each turn", "in all turns, at least"} {
			require.Regexp(t, `^[1-9][0-9]*$`, line(what)[2])
		}
	})
	t.Run("A8 a service that does not start is told", func(t *testing.T) {
		require.ErrorContains(t, demo(t.Context(), "/no/such", &told), "/no/such")
	})
}
