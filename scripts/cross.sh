#!/usr/bin/env bash
# Everything, tests included, compiles for the three systems without C.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0 GOARCH=amd64
for GOOS in linux darwin windows; do
	export GOOS
	echo "cross: $GOOS"
	go build ./...
	go vet ./...
done
