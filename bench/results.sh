#!/usr/bin/env bash
# Measures how fast JUnit files are read, by factgate and by others, and prints a Markdown table.
#
#   bench/results.sh [-huge] [-only WORD] [-dir DIR]    -huge: a file of 1 GB too, which takes some minutes more
#
# dd and xmllint are measured where they are installed, junitparser from .cache/bench; the rest is compiled in.
set -euo pipefail
cd "$(dirname "$0")/.."
junitparser=4.0.2
if ! .cache/bench/venv/bin/pip show -q "junitparser==$junitparser" 2>/dev/null; then
	echo "bench: junitparser $junitparser" >&2
	[ -x .cache/bench/venv/bin/pip ] || python3 -m venv .cache/bench/venv
	.cache/bench/venv/bin/pip install -q "junitparser==$junitparser" >&2 ||
		echo "bench: junitparser does not install here and is left out" >&2
fi
PATH=$PWD/.cache/bench/venv/bin:$PATH
cd bench/results
binary=$(mktemp -d)
trap 'rm -rf "$binary"' EXIT
CGO_ENABLED=0 go build -trimpath -o "$binary/results" .
"$binary/results" "$@"
