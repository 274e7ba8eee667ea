#!/usr/bin/env bash
# What the service under test serves at /metrics of its admin listener, after a cell, held to Prometheus' conventions.
set -euo pipefail
bin/codecell exec cmd/codecell/sample/cell.ts --catalog cmd/codecell/sample/turn.json5 --server "$CODECELL_SERVER" >/dev/null
text=$(curl --silent --show-error --fail "http://$CODECELL_ADMIN_LISTEN/metrics")
promtool check metrics <<<"$text"
grep -q '^codecell_runs_total{code="",outcome="completed"} 1$' <<<"$text"
