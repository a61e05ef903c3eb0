#!/usr/bin/env bash
# Builds factgate and lets it verify the example, a small product in four languages. Words go to factgate verify:
#
#   scripts/example.sh            what is proven is not run again
#   scripts/example.sh --fresh    run all the same
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh system
scripts/setup.sh example
CGO_ENABLED=0 go build -trimpath -o bin/factgate ./cmd/factgate
exec bin/factgate -C testdata/monorepo verify "$@"
