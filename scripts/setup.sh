#!/usr/bin/env bash
# Brings what the tests and the example need. Run again, it only looks and is done at once.
#
#   scripts/setup.sh system    packages of the system: a C compiler for the race detector, git, Python's venv, Node, …
#   scripts/setup.sh example   testdata/monorepo: services/pricing/.venv and web/node_modules
#   scripts/setup.sh tests     the same and .cache: venv/bin (pytest, uv) and bin (gotestsum)
#   scripts/setup.sh nextest   .cache/bin/cargo-nextest, built from source: some minutes
#
# Go and Rust must be there: the system's own are often too old.
set -euo pipefail
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1

gotestsum=v1.13.0
nextest=0.9.151
example=testdata/monorepo

have() { command -v "$1" >/dev/null 2>&1; }

# system installs what is missing, as root on a machine with apt-get; elsewhere it says what to install.
system() {
	local missing=()
	have cc || have gcc || missing+=(gcc libc6-dev)
	have git || missing+=(git)
	have make || missing+=(make)
	have python3 || missing+=(python3)
	python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
	have node || missing+=(nodejs)
	have npm || missing+=(npm)
	have cargo || missing+=(cargo)
	if [ "$(uname)" = Linux ]; then
		have strace || missing+=(strace)
		have tmux || missing+=(tmux)
	fi
	if ! have go; then
		echo "setup: Go is missing; install the version that go.mod names" >&2
		exit 1
	fi
	[ ${#missing[@]} -eq 0 ] && return
	if [ "$(id -u)" != 0 ] || ! have apt-get; then
		echo "setup: missing here: ${missing[*]}; tests that need them are skipped" >&2
		return
	fi
	echo "setup: installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# venv FOLDER REQUIREMENTS
venv() {
	if "$1/bin/python" -c '' 2>/dev/null && cmp -s "$2" "$1/requirements.txt"; then
		return
	fi
	echo "setup: $1"
	rm -rf "$1"
	python3 -m venv "$1"
	"$1/bin/pip" install -q -r "$2"
	cp "$2" "$1/requirements.txt" # last: it says that the rest is there
}

# modules FOLDER
modules() {
	if cmp -s "$1/package-lock.json" "$1/node_modules/.installed"; then
		return
	fi
	echo "setup: $1/node_modules"
	(cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
	cp "$1/package-lock.json" "$1/node_modules/.installed"
}

for_example() {
	venv "$example/services/pricing/.venv" "$example/services/pricing/requirements.txt"
	modules "$example/web"
}

for_tests() {
	for_example
	venv .cache/venv scripts/requirements.txt
	if ! go version -m .cache/bin/gotestsum 2>/dev/null | grep -q "$gotestsum"; then
		echo "setup: .cache/bin/gotestsum"
		GOBIN="$PWD/.cache/bin" go install "gotest.tools/gotestsum@$gotestsum"
	fi
}

for_nextest() {
	if .cache/bin/cargo-nextest nextest --version 2>/dev/null | grep -q "$nextest"; then
		return
	fi
	echo "setup: .cache/bin/cargo-nextest"
	cargo install --quiet --locked --no-default-features --features default-no-update --root .cache --version "$nextest" cargo-nextest
}

case "${1-}" in
system) system ;;
example) for_example ;;
tests) for_tests ;;
nextest) for_nextest ;;
*)
	echo "usage: scripts/setup.sh system|example|tests|nextest" >&2
	exit 2
	;;
esac
