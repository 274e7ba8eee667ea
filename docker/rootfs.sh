#!/usr/bin/env bash
# rootfs.sh DIR lays out the file system of the image in DIR: the binary, the certificates of the internet's authorities, an
# empty /tmp. The binary is static, so that there is nothing else: names are looked up by Go's own resolver.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$1

make --no-print-directory guest
mkdir -p "$root"/{usr/bin,etc/ssl/certs,etc/codecell,proc,dev,tmp,secrets}
# The linker warns of dlopen, which nobody calls: the engine loads no modules.
CGO_ENABLED=1 go build -trimpath -tags netgo,osusergo -ldflags '-s -w -linkmode external -extldflags "-static"' \
	-o "$root/usr/bin/codecell" ./cmd/codecell
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
echo 'codecell:x:65532:65532:codecell:/tmp:/usr/bin/codecell' >"$root/etc/passwd"
echo 'codecell:x:65532:' >"$root/etc/group"
cp docker/config.json5 "$root/etc/codecell/config.json5"
chmod 1777 "$root/tmp"
