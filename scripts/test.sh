#!/usr/bin/env bash
# Runs every test: format, links of the pages, vet, staticcheck, the builds for other systems, then all Go tests with the
# race detector. The last line says how many passed, failed and were skipped. Words go to go test; no words: ./...
#
# With CI set, a test that skips because a tool is missing fails instead (FACTGATE_REQUIRE_TOOLS=1).
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
	local began=$SECONDS
	echo "== $1"
	shift
	if ! "$@"; then
		echo "== failed after $((SECONDS - began)) s: $*" >&2
		exit 1
	fi
	echo "== $((SECONDS - began)) s"
}

tests() {
	go test -race -json "$@" | python3 scripts/count.py
}

step "tools" scripts/setup.sh system
step "tools of the tests" scripts/setup.sh tests
export PATH="$PWD/.cache/bin:$PWD/.cache/venv/bin:$PATH"
if [ -n "${CI-}" ]; then
	export FACTGATE_REQUIRE_TOOLS=1
fi
step "gofmt" scripts/gofmt.sh
step "docs" python3 scripts/docs.py
step "go vet" go vet ./...
step "staticcheck" go tool staticcheck ./...
step "cross builds" scripts/cross.sh
if [ "$(uname)" = Linux ]; then
	step "out of memory, by itself" env FACTGATE_TEST_MEMORY=1 go test -count=1 -run '^TestOutOfMemory$' ./process
fi
# The tests come last and without a step of their own: their closing line is ours.
echo "== go test -race"
if [ $# -eq 0 ]; then
	set -- ./...
fi
tests "$@"
