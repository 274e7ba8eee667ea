package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestWithoutEngine(t *testing.T) {
	s, err := New(Options{EngineError: errors.New("no guest today")})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(context.Background())) }()
	tools := []catalog.Tool{{Source: "openclaw", Name: "read"}}

	t.Run("A8 code mode is refused, and says why", func(t *testing.T) {
		_, err := s.Prepare(context.Background(), "", &TurnRequest{Config: json.RawMessage(`true`), Tools: tools})
		var refused *Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, KindUnavailable, refused.Kind)
		require.Contains(t, refused.Msg, "runtime_unavailable")
		require.Contains(t, refused.Msg, "no guest today")
		require.ErrorContains(t, s.Ready(), "no guest today")
	})
	t.Run("A1 a turn without code mode needs no engine", func(t *testing.T) {
		turn, err := s.Prepare(context.Background(), "", &TurnRequest{Tools: tools})
		require.NoError(t, err)
		require.False(t, turn.CodeMode())
		result, err := turn.Exec(context.Background(), ExecInput{Code: json.RawMessage(`"return 1"`)})
		require.NoError(t, err)
		require.Equal(t, "code mode is disabled.", result.Error)
		require.Equal(t, "none", result.Telemetry.Engine)
	})
	t.Run("A8 so it is when the engine is there and can't serve for now", func(t *testing.T) {
		e := &unready{enginetest.Always(), errors.New("no worker just now")}
		s, err := New(Options{Engine: e})
		require.NoError(t, err)
		require.ErrorContains(t, s.Ready(), "no worker just now")
		_, err = s.Prepare(context.Background(), "", &TurnRequest{Config: json.RawMessage(`true`), Tools: tools})
		requireKind(t, err, KindUnavailable)
		e.why = nil
		require.NoError(t, s.Ready())
		require.NoError(t, s.Close(context.Background()))
		require.NoError(t, e.Close())
	})
	t.Run("neither engine nor reason is a mistake", func(t *testing.T) {
		_, err := New(Options{})
		require.Error(t, err)
	})
}

// unready is an engine that may have nothing to serve with.
type unready struct {
	*enginetest.Engine
	why error
}

func (u *unready) Ready() error { return u.why }

func TestAgents(t *testing.T) {
	global, err := config.Default().Merge(json.RawMessage(`{"enabled":true,"timeoutMs":4000}`))
	require.NoError(t, err)
	slow, err := global.Merge(json.RawMessage(`{"timeoutMs":9000}`))
	require.NoError(t, err)
	off, err := global.Merge(json.RawMessage(`false`))
	require.NoError(t, err)
	s, err := New(Options{EngineError: errors.New("none"), Config: global, Agents: map[string]config.Config{"slow": slow, "off": off}})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(context.Background())) }()

	for _, c := range []struct {
		agent   string
		enabled bool
		timeout int
	}{
		{"anyone", true, 4000},
		{"", true, 4000},
		{"slow", true, 9000},
		{"off", false, 4000},
	} {
		t.Run("A2 agent "+c.agent, func(t *testing.T) {
			config, err := s.configOf(c.agent).Narrow(json.RawMessage(`{"enabled":true}`))
			require.NoError(t, err)
			enabled := config.Enabled
			if c.agent != "off" {
				config, err = s.configOf(c.agent).Narrow(nil)
				require.NoError(t, err)
				enabled = config.Enabled
			}
			require.Equal(t, c.enabled, enabled)
			require.Equal(t, c.timeout, config.TimeoutMs)
		})
	}
}

func TestUnknownServers(t *testing.T) {
	s, err := New(Options{EngineError: errors.New("none")})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(context.Background())) }()
	t.Run("E4 a server that the service does not know is named", func(t *testing.T) {
		turn, err := s.Prepare(context.Background(), "", &TurnRequest{MCPServers: []string{"everything"}})
		require.NoError(t, err)
		require.Len(t, turn.Warnings(), 1)
		require.Contains(t, turn.Warnings()[0], `"everything"`)
	})
}
