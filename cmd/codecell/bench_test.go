package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bench/suite"
)

func TestBench(t *testing.T) {
	file, page := filepath.Join(t.TempDir(), "report.json"), filepath.Join(t.TempDir(), "page.html")
	got := codecell(t, "", "bench", "--time", "5ms", "--isolation", "thread", "--json", file, "--html", page)
	require.Equal(t, exitOK, got.status, got.err)
	for _, want := range []string{"fresh guest, 1+1", "16 connections", "no-op", "p99.9"} {
		require.Contains(t, got.out, want)
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var report suite.Report
	require.NoError(t, json.Unmarshal(text, &report))
	require.NotNil(t, report.Find("kernel", "JSON", "native"))
	require.NotEmpty(t, report.Targets)
	require.Equal(t, "thread", report.Versions["isolation"])
	text, err = os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "<svg")
	t.Run("I1 in worker processes as well, which is how a service runs by default", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "report.json")
		got := codecell(t, "", "bench", "--time", "2ms", "--json", file)
		require.Equal(t, exitOK, got.status, got.err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), `"isolation": "process"`)
	})
	t.Run("I1 a time that is none", func(t *testing.T) {
		require.Equal(t, exitUsage, codecell(t, "", "bench", "--time", "0s").status)
	})
}
