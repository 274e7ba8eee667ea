package server

import (
	"encoding/json"
	"net/http"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/config"
)

func TestOpenAPI(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	t.Run("I4 the document is served and is OpenAPI 3.1", func(t *testing.T) {
		rec := do(t, s, call{method: http.MethodGet, path: "/openapi.json"})
		require.Equal(t, http.StatusOK, rec.Code)
		require.True(t, strings.HasPrefix(gjson.Get(rec.Body.String(), "openapi").Str, "3.1"))
	})
	t.Run("I4 it describes exactly the routes there are", func(t *testing.T) {
		var have, want []string
		for _, r := range s.echo.Routes() {
			path := r.Path
			for _, param := range []string{"id", "runId", "pluginId"} {
				path = strings.ReplaceAll(path, ":"+param, "{"+param+"}")
			}
			have = append(have, r.Method+" "+path)
		}
		gjson.GetBytes(openAPISource, "paths").ForEach(func(path, operations gjson.Result) bool {
			operations.ForEach(func(method, _ gjson.Result) bool {
				want = append(want, strings.ToUpper(method.Str)+" "+path.Str)
				return true
			})
			return true
		})
		sort.Strings(have)
		sort.Strings(want)
		require.Equal(t, want, have)
	})
	t.Run("I3 whatever takes a key says what is answered before the request is looked at", func(t *testing.T) {
		gjson.GetBytes(openAPISource, "paths").ForEach(func(path, operations gjson.Result) bool {
			operations.ForEach(func(method, operation gjson.Result) bool {
				if security := operation.Get("security"); security.Exists() && len(security.Array()) == 0 {
					return true
				}
				for _, status := range []string{"401", "403", "429", "503"} {
					// What is deleted frees something, so it counts in no rate.
					want := status != "429" || method.Str != "delete"
					require.Equal(t, want, operation.Get("responses."+status).Exists(), "%s %s: %s", method, path, status)
				}
				return true
			})
			return true
		})
	})
	t.Run("A2 its config keys are those of the table", func(t *testing.T) {
		properties := gjson.GetBytes(openAPISource, "components.schemas.Config.properties")
		described := map[string]bool{}
		for _, k := range config.Keys() {
			// A dotted key is nested: the schema has properties on each level.
			p := properties.Get(strings.ReplaceAll(k.Key, ".", ".properties."))
			require.True(t, p.Exists(), k.Key)
			described[strings.Split(k.Key, ".")[0]] = true
			if k.Max != 0 {
				require.Equal(t, []int64{int64(k.Default), int64(k.Min), int64(k.Max)},
					[]int64{p.Get("default").Int(), p.Get("minimum").Int(), p.Get("maximum").Int()}, k.Key)
			}
			if len(k.Allowed) > 0 {
				var allowed []string
				require.NoError(t, json.Unmarshal([]byte(p.Get("enum").Raw), &allowed))
				require.Equal(t, k.Allowed, allowed, k.Key)
				require.Equal(t, k.Allowed[0], p.Get("default").Str, k.Key)
			}
		}
		require.Equal(t, int(properties.Get("@keys.#").Int()), len(described))
	})
	t.Run("I3 every kind of problem has a status and a title", func(t *testing.T) {
		for k, entry := range problemTable {
			require.GreaterOrEqual(t, entry.status, 400, k)
			require.NotEmpty(t, entry.title, k)
		}
	})
}
