#!/usr/bin/env bash
# fuzz.sh TIME runs every fuzz target of every package for TIME, one after the other: go test takes one at a time.
set -euo pipefail
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" "$package"
	done
done
