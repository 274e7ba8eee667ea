#!/usr/bin/env bash
# build.sh GUEST.wasm OUT.syso makes an object of the guest on WebAssembly, which the Go tool links into the binary: wasm2c makes C
# of it (14 MB, which is not kept), and the C compiler the object, in a minute. The same module, script and compilers give the same
# object, so it is kept for other checkouts of this user.
set -euo pipefail
wasm=$(realpath "$1") out=$(realpath -m "$2")
cd "$(dirname "$0")"
cc=${CC:-gcc}

flags=(
	-c -O2 -std=gnu11 -fPIC -fvisibility=hidden
	# What WebAssembly promises of numbers, and C leaves open.
	-frounding-math -fsignaling-nans -ffp-contract=off -fwrapv
	# Endless recursion must reach the end of the stack: as a loop it would ask nobody whether to go on.
	-fno-optimize-sibling-calls
	# The stack ends in a guard (GUARD_BYTES in sandbox.c) that no frame may be larger than.
	-Werror=frame-larger-than=65536
	-I. -I../../guest
)

key=$({
	sha256sum <"$wasm"
	cat build.sh glue.c ../../guest/sandbox.h
	wasm2c --version
	"$cc" --version
} | sha256sum | cut -c1-32)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/codecell/aot
kept=$cache/$key.o

if [ ! -f "$kept" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	wasm2c -n guest "$wasm" -o "$work/guest.c"
	# Where the memory begins is in a register: see glue.c.
	sed -i -e 's/wasm_rt_memcpy(&result, &mem->data\[addr\], sizeof(t1));/result = GUEST_AT(t1, addr);/' \
		-e 's/wasm_rt_memcpy(&mem->data\[addr\], &wrapped, sizeof(t1));/GUEST_AT(t1, addr) = wrapped;/' "$work/guest.c"
	if [ "$(grep -c 'GUEST_AT(t1, addr)' "$work/guest.c")" -ne 2 ]; then
		echo "build.sh: this wasm2c writes other code than the one that is known: $(wasm2c --version)" >&2
		exit 1
	fi
	# The first segment of data is what the guest's C code has as constants: the linker puts it first.
	read -r size from < <(wasm-objdump -x -j Data "$wasm" |
		sed -nE 's/.*segment\[0\].* size=([0-9]+) .*init i32=([0-9]+).*/\1 \2/p')
	pages=$(wasm-objdump -x -j Memory "$wasm" | sed -nE 's/.*memory\[0\] pages: initial=([0-9]+).*/\1/p')
	"$cc" "${flags[@]}" -I"$work" glue.c -o "$work/guest.o" \
		-DMODULE_SHA256="\"$(sha256sum <"$wasm" | cut -d' ' -f1)\"" \
		-DINITIAL_PAGES="$pages" -DCONSTANT_FROM="$from" -DCONSTANT_TO="$((from + size))"
	mkdir -p "$cache"
	cp "$work/guest.o" "$kept.$$"
	mv "$kept.$$" "$kept"
	# Those of builds that are long gone.
	find "$cache" -name '*.o*' -mtime +30 -delete
fi
cp "$kept" "$out.$$"
mv "$out.$$" "$out"
