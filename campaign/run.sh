#!/usr/bin/env bash
# Builds factgate and holds it against the table of faults. Words go to the campaign: campaign/run.sh -rows 'tree.*'
set -euo pipefail
cd "$(dirname "$0")/.."
exec go run ./campaign "$@"
