#!/usr/bin/env bash
# Shows a cell running through the service at CODECELL_SERVER, then stays until the service ends.
set -euo pipefail
sample=cmd/codecell/sample

printf '\n--- the turn: %s, sent as JSON to POST %s/v1/turns\n\n' "$sample/turn.json5" "$CODECELL_SERVER"
cat "$sample/turn.json5"
printf '\n--- the cell: %s, sent to POST %s/v1/exec\n\n' "$sample/cell.ts" "$CODECELL_SERVER"
cat "$sample/cell.ts"
printf '\n--- what it gave\n\n'
bin/codecell exec "$sample/cell.ts" --catalog "$sample/turn.json5"
printf '\n--- Codecell serves at %s until Ctrl-C. A cell of your own:\n\n' "$CODECELL_SERVER"
printf "  echo 'return (await tools.search(\"stock\")).map(t => t.id)' |\n"
printf '    bin/codecell exec - --catalog %s --server %s\n\n' "$sample/turn.json5" "$CODECELL_SERVER"
while kill -0 "$CODECELL_PID" 2>/dev/null; do sleep 1; done
