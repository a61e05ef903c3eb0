#!/usr/bin/env bash
# Measures how fast JUnit files are read, by factgate and by others, and prints a Markdown table.
#
#   bench/results.sh [-huge] [-only WORD] [-dir DIR]    -huge: a file of 1 GB too, which takes some minutes more
#
# xmllint, dd and Python's junitparser are measured where they are installed; the rest is compiled in.
set -euo pipefail
cd "$(dirname "$0")/results"
binary=$(mktemp -d)
trap 'rm -rf "$binary"' EXIT
CGO_ENABLED=0 go build -trimpath -o "$binary/results" .
"$binary/results" "$@"
