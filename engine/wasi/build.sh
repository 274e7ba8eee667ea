#!/usr/bin/env bash
# build.sh OUT compiles the guest to WebAssembly: the engine's sources from the Go module that also brings the native
# build's objects, and the guest's own C. The same sources and compiler give the same bytes.
set -euo pipefail
out=$(realpath -m "$1")
cd "$(dirname "$0")/../guest"
# A module that was not downloaded yet has no folder.
module=github.com/buke/quickjs-go
go mod download "$module"
quickjs=$(go list -m -f '{{.Dir}}' "$module")/deps/quickjs
if [ ! -f "$quickjs/quickjs.c" ]; then
	echo "build.sh: no engine sources in $quickjs" >&2
	exit 1
fi

for compiler in clang-19 clang-14 clang; do
	command -v "$compiler" >/dev/null && break
done

target=(--target=wasm32-wasi --sysroot=/usr)
flags=(
	"${target[@]}" -c -std=gnu11 -O2
	-DCODECELL_WASI -DCODECELL_ABI_CHECK -D_GNU_SOURCE -include quickjs.h
	-I"$quickjs" -I. -w
	# No path of this machine in assertions.
	-ffile-prefix-map="$quickjs"=quickjs -ffile-prefix-map="$PWD"=guest
	-ffunction-sections -fdata-sections
)
link=(
	"${target[@]}" -mexec-model=reactor -nostartfiles
	-Wl,--no-entry,--gc-sections,--strip-all
	# The stack first, so that its end is the end of memory: running over it is a trap, not a write to data.
	-Wl,--stack-first,-z,stack-size=655360
	# What regexp.c stands before.
	-Wl,--wrap=lre_compile,--wrap=lre_exec,--wrap=lre_get_flags,--wrap=lre_get_groupnames
)
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

# compile UNIT FLAGS… starts the compiler; the units don't wait for each other.
units=()
compilers=()
compile() {
	local object
	object=$objects/$(basename "$1" .c).o
	units+=("$object")
	"$compiler" "${flags[@]}" "${@:2}" "$1" -o "$object" &
	compilers+=($!)
}
compile wasi.c # first: it includes the engine, and takes longest
for unit in adapter arena builtins clock code effects host promises requests step \
	regexp regexp_case regexp_class regexp_loops regexp_names regexp_pattern regexp_set regexp_text; do
	compile "$unit.c"
done
for unit in libregexp libunicode dtoa; do
	compile "$quickjs/$unit.c"
done
# The only unit with instructions that move many bytes at once. Nothing in it may become a call of what it defines.
compile bulk.c -mbulk-memory -fno-builtin
for pid in "${compilers[@]}"; do
	wait "$pid"
done
"$compiler" "${link[@]}" "${units[@]}" -lm -o "$objects/guest.wasm"
# Every 50,000 iterations of loops the guest asks whether it may go on: well under a millisecond of any of them. The four
# bulk instructions are those of bulk.c.
go run ../wasi/fuel/addfuel tick 50000 4 <"$objects/guest.wasm" >"$out.new"
mv "$out.new" "$out"
