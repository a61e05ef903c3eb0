#!/usr/bin/env bash
# Measures factgate side by side with the bare commands and with other tools, and prints a Markdown table.
#
#   bench/run.sh [BINARY] [--runs N] [--only WORD]    BINARY: bin/factgate, which is built when it is not given
#
# Takes about seven minutes. What is measured lives in a temporary folder; tools are kept in .cache/bench.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
	binary=$(realpath "$1")
	shift
else
	CGO_ENABLED=0 go build -trimpath -o bin/factgate ./cmd/factgate
	binary=$PWD/bin/factgate
fi
scripts/setup.sh tests >&2

precommit=4.7.0
turbo=2.11.11
if ! .cache/bench/venv/bin/pre-commit --version 2>/dev/null | grep -q "$precommit"; then
	echo "bench: pre-commit $precommit" >&2
	python3 -m venv .cache/bench/venv
	.cache/bench/venv/bin/pip install -q "pre-commit==$precommit" >&2 ||
		echo "bench: pre-commit does not install here and is left out" >&2
fi
if [ ! -x .cache/bench/node_modules/.bin/turbo ]; then
	echo "bench: turbo $turbo" >&2
	npm install --prefix .cache/bench --no-audit --no-fund --loglevel=error "turbo@$turbo" >&2 ||
		echo "bench: turbo does not install here and is left out" >&2
fi
exec python3 bench/bench.py "$binary" "$@"
