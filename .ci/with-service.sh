#!/usr/bin/env bash
# with-service.sh ADDRESS COMMAND… runs a command while bin/codecell serves on ADDRESS (port 0: any that is
# free), and ends the service afterwards. The command finds the service in CODECELL_SERVER and CODECELL_PID.
# The echo executor is on: sample and cases have no real tools behind them.
set -euo pipefail
address=$1
shift

says=$(mktemp)
bin/codecell serve --listen "$address" --test-executors --log-level warn --grace 2s >"$says" 2>"$says.err" &
pid=$!
# TERM, since a shell's background process ignores the terminal's Ctrl-C.
stop() {
	kill -TERM "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	cat "$says.err" >&2
	rm -f "$says" "$says.err"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The service prints its address once whoever reads it may connect.
until CODECELL_SERVER=$(sed -n 's/^codecell listens on //p' "$says") && [ -n "$CODECELL_SERVER" ]; do
	if ! kill -0 "$pid" 2>/dev/null; then
		if grep -q 'address already in use' "$says.err"; then
			echo "Port ${address##*:} is taken. Choose another one: make run PORT=$((${address##*:} + 1))" >&2
		fi
		exit 1
	fi
	sleep 0.05
done
export CODECELL_SERVER CODECELL_PID=$pid
"$@"
