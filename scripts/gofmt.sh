#!/usr/bin/env bash
# Our Go files are formatted. Fixtures are as they were captured, broken ones included.
set -euo pipefail
cd "$(dirname "$0")/.."
files=()
while IFS= read -r -d '' file; do
	[ ! -e "$file" ] || files+=("$file") # deleted, not committed yet
done < <(git ls-files -z -co --exclude-standard -- '*.go' ':(exclude,glob)**/testdata/**')
if [ ${#files[@]} -eq 0 ]; then
	echo "gofmt: no Go files found"
	exit 1
fi
bad=$(gofmt -l "${files[@]}")
if [ -n "$bad" ]; then
	echo "gofmt: run gofmt -w on"
	echo "$bad"
	exit 1
fi
