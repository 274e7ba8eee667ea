#!/usr/bin/env bash
# Sees to it that the tools named as arguments are there: "cc" (a C compiler), "wasm" (one for WebAssembly, with its
# linker and libc) or any command that is also the name of its Debian package. Installs with apt-get where it may, and says what it does.
set -euo pipefail

package_of() {
	case "$1" in
	cc) echo "gcc libc6-dev" ;;
	bwrap) echo bubblewrap ;;
	requests) echo python3-requests ;;
	wasm) echo "clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32" ;;
	promtool) echo "prometheus" ;;
	wasm2c) echo "wabt" ;;
	*) echo "$1" ;;
	esac
}

if ! command -v go >/dev/null; then
	echo "Go is missing: install $(sed -n 's/^go /Go /p' "$(dirname "$0")/../go.mod") or newer, then try again." >&2
	exit 1
fi

there() {
	case "$1" in
	wasm)
		# A program that needs the linker, libc and the compiler's own library.
		local clang
		clang=$(command -v clang-19 || command -v clang-14 || command -v clang) &&
			echo 'int memcmp(const void *, const void *, __SIZE_TYPE__); int f(void *p) { return memcmp(p, p, 8); }' |
			"$clang" --target=wasm32-wasi --sysroot=/usr -nostartfiles -Wl,--no-entry,--export=f -x c - -o /dev/null 2>/dev/null
		;;
	requests) python3 -c 'import requests' 2>/dev/null ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

missing=()
for tool in "$@"; do
	there "$tool" || missing+=($(package_of "$tool"))
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "These packages are missing and only root can install them: ${missing[*]}" >&2
		exit 1
	fi
	as_root=(sudo)
fi
if ! command -v apt-get >/dev/null; then
	echo "This system has no apt-get; install what the Debian packages ${missing[*]} contain, then try again." >&2
	exit 1
fi
echo "Installing with apt-get: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
