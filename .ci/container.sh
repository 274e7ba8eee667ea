#!/usr/bin/env bash
# Holds what docker/ promises, as far as it can be without a registry, a cluster or systemd: builds the image's file
# system, starts the binary in it as a container would (a user namespace, read-only, no capability, nobody's files) with
# sandbox: "require", and judges the manifests and the unit.
set -euo pipefail
cd "$(dirname "$0")/.."
.ci/deps.sh bwrap curl

work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
docker/rootfs.sh "$work/image"

mkdir "$work/secrets"
inside() {
	bwrap --ro-bind "$work/image" / --bind "$work/secrets" /secrets --proc /proc --dev /dev --tmpfs /tmp --unshare-all --share-net \
		--uid 65532 --gid 65532 --cap-drop ALL --die-with-parent --clearenv --setenv HOME /tmp "$@"
}
if inside /bin/sh -c true 2>/dev/null; then
	echo "there is a shell in the image" >&2
	exit 1
fi
key=$(inside /usr/bin/codecell keys --file /secrets/keys.json add gateway 2>/dev/null)
admin=$(inside /usr/bin/codecell keys --file /secrets/keys.json add prometheus --role admin 2>/dev/null)
# Not exec'd by the shell: bwrap itself is told to end, and ends what is inside.
inside /usr/bin/codecell serve --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 --config /etc/codecell/config.json5 >"$work/says" 2>"$work/log" &
pid=$!
until base=$(sed -n 's/^codecell listens on //p' "$work/says") && [ -n "$base" ]; do
	kill -0 "$pid" || { cat "$work/log" >&2; exit 1; }
	sleep 0.1
done
for _ in $(seq 100); do
	inside /usr/bin/codecell health --server "$base" >"$work/ready" 2>&1 && break
	sleep 0.3
done
grep -q 'held by .*Landlock.*seccomp' "$work/ready" || { cat "$work/ready" "$work/log" >&2; exit 1; }
answer=$(curl -sS -H "Authorization: Bearer $key" --json '{"turn": {"config": {"enabled": true}}, "code": "return 6 * 7"}' "$base/v1/exec")
case $answer in
*'"value":42'*) ;;
*)
	echo "a cell in the container: $answer" >&2
	exit 1
	;;
esac
metrics=http://$(sed -n 's/.*the admin listener is up","address":"\([^"]*\)".*/\1/p' "$work/log")/metrics
curl -sSf -H "Authorization: Bearer $admin" "$metrics" | grep -q '^codecell_ready 1'
echo "In the image's file system, without a capability, sandbox: \"require\" holds and a cell runs."

(cd docker/kubernetes && go test -count 1 ./...)

most=1.5
score=$(systemd-analyze security --offline=true docker/systemd/codecell.service | sed -n 's/.*level for codecell.service: \([0-9.]*\).*/\1/p')
awk -v is="$score" -v most="$most" 'BEGIN { exit !(is != "" && is <= most) }' || {
	echo "systemd-analyze security gives the unit $score, and $most is the most" >&2
	exit 1
}
echo "systemd-analyze security gives the unit $score (10 is worst)."
