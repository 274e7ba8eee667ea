#!/usr/bin/env bash
# build.sh OUT compiles the guest to WebAssembly: the engine's sources from the Go module that also brings the native
# build's objects, and the guest's own C. The same sources and compiler give the same bytes.
set -euo pipefail
out=$(realpath -m "$1")
cd "$(dirname "$0")/../guest"
quickjs=$(go list -m -f '{{.Dir}}' github.com/buke/quickjs-go)/deps/quickjs

for compiler in clang-19 clang-14 clang; do
	command -v "$compiler" >/dev/null && break
done

flags=(
	--target=wasm32-wasi --sysroot=/usr -std=gnu11 -O2
	-DCODECELL_WASI -DCODECELL_ABI_CHECK -D_GNU_SOURCE -include quickjs.h
	-I"$quickjs" -I. -w -mbulk-memory
	# No path of this machine in assertions.
	-ffile-prefix-map="$quickjs"=quickjs -ffile-prefix-map="$PWD"=guest
	-ffunction-sections -fdata-sections
	-mexec-model=reactor -nostartfiles
	-Wl,--no-entry,--gc-sections,--strip-all
	# The stack first, so that its end is the end of memory: running over it is a trap, not a write to data.
	-Wl,--stack-first,-z,stack-size=655360
)
own=(wasi.c adapter.c arena.c builtins.c clock.c code.c effects.c host.c requests.c step.c)
engine=("$quickjs"/{libregexp,libunicode,dtoa}.c)
plain=$(mktemp)
trap 'rm -f "$plain"' EXIT
"$compiler" "${flags[@]}" "${own[@]}" "${engine[@]}" -lm -o "$plain"
# Every 50,000 iterations of loops the guest asks whether it may go on: well under a millisecond of any of them.
go run ../wasi/fuel/addfuel tick 50000 <"$plain" >"$out.new"
mv "$out.new" "$out"
