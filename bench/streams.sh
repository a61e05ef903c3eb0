#!/usr/bin/env bash
# Measures how fast long results streams are read, by our readers and by others, and prints a Markdown table.
#
#   bench/streams.sh [--runs N] [--only WORD]
#
# Takes about a minute. Streams are made anew in a temporary folder; the same seed gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
CGO_ENABLED=0 go build -trimpath -o bin/streams ./bench/streams
exec python3 bench/streams.py bin/streams "$@"
