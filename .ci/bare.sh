#!/usr/bin/env bash
# Builds a clean clone as a machine would that has Go and nothing in its caches, and says how long that took: with the guest on
# WebAssembly, and then without a compiler for it, which the service must say. Leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."

bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
git clone --quiet . "$bare/clone"
cd "$bare/clone"
export GOMODCACHE=$bare/modules GOCACHE=$bare/cache GOFLAGS=-modcacherw XDG_CACHE_HOME=$bare/user

make build
.ci/with-service.sh 127.0.0.1:0 bin/codecell exec cmd/codecell/sample/cell.ts --catalog cmd/codecell/sample/turn.json5
echo "On empty caches, everything was built and a cell ran within $SECONDS s."

# All commands but those of clang, of the linker for WebAssembly, and wasm2c.
mkdir "$bare/bin"
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
	find -L "$folder" -maxdepth 1 -type f -executable ! -name '*clang*' ! -name 'wasm-ld*' ! -name 'lld*' ! -name 'wasm2c' \
		-exec ln -s --target-directory="$bare/bin" {} + 2>/dev/null || true # the first of a name counts
done
rm engine/wasi/guest/guest.wasm engine/aot/code/*.syso
rm -r "$GOMODCACHE"
PATH=$bare/bin
go build ./...
go build -o bin/codecell ./cmd/codecell
# Only bash is needed to ask.
answer=$(.ci/with-service.sh 127.0.0.1:0 bash -c '
	exec 3<>"/dev/tcp/127.0.0.1/${CODECELL_SERVER##*:}"
	printf "GET /readyz HTTP/1.0\r\n\r\n" >&3
	cat <&3')
case $answer in
*"200 OK"*"built without guest.wasm"*) ;;
*)
	echo "without the guest on WebAssembly, /readyz should be ready and say that it is missing: $answer" >&2
	exit 1
	;;
esac
echo "Without a compiler for WebAssembly it was built too, and says what is missing; $SECONDS s in all."
