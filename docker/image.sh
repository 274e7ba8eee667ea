#!/usr/bin/env bash
# image.sh TAG builds the image with buildah and without a registry: the first stage of docker/Dockerfile happens on this
# machine (docker/rootfs.sh), the second is buildah's. With a registry, docker build -f docker/Dockerfile does both.
set -euo pipefail
cd "$(dirname "$0")/.."
.ci/deps.sh buildah

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
docker/rootfs.sh "$work/image"
# In a container there are no overlays and no namespaces to be had; nothing of the second stage is run.
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=chroot
buildah build --format docker --build-context build="$work" -f docker/Dockerfile -t "$1" .
