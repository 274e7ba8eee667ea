package typo

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	known := []string{"source", "name", "label", "description", "parameters", "executor", "mcp", "id", "ok", "language", "timeoutMs"}
	for key, want := range map[string]string{
		"descripton": "description", "Description": "description", "parameter": "parameters", "param": "parameters",
		"timeout_ms": "timeoutMs", "timeoutMS": "timeoutMs", "TIMEOUT-MS": "timeoutMs", "nmae": "name", "lang": "language",
		"langauge": "language", "exectuor": "executor",
		"la": "", "od": "", "ip": "", "colour": "", "": "", "x": "", "game": "name", "came": "name", "sorce": "source",
		strings.Repeat("name", 100): "",
	} {
		require.Equal(t, want, Nearest(key, known), "A2 %q", key)
	}
	require.Empty(t, Nearest("name", nil))
}
