package config

import (
	"strings"
	"testing"
	"time"
)

// masked scripts hide a status for certain; each is given to bash -c.
var masked = []string{
	"pytest || true", "pytest || :", "pytest || exit 0", "pytest || echo failed", "pytest || { echo failed; }", "(pytest || true)",
	"pytest -q || /bin/true", "pytest && echo ok || echo bad", "pytest || cat log", "pytest || echo failed >&2",
	"pytest; exit 0", "pytest; true", "pytest; echo done", "pytest\necho done\n", "pytest; docker compose down",
	"cd api && pytest; echo done", "{ pytest; echo done; }", "( cd x; pytest; echo done )", "time pytest; echo",
	"pytest | tee log", "pytest 2>&1 | tee log", "pytest |& tee log", "pytest | grep -v warn", "pytest | tee a | cat", "cd x && pytest | tee log",
	"! pytest", "pytest &", "pytest & wait", "pytest & sleep 1; echo done", "npm test & npm run lint & wait",
	"trap 'exit 0' EXIT; pytest", "trap 'rm -f x; exit 0' EXIT\npytest", "trap 'exit 0' 0; pytest", "trap 'exit 0' ERR; set -e; pytest",
	"if pytest; then echo ok; fi", "if pytest; then echo ok; else echo bad; fi", "if ! pytest; then echo bad; fi",
	"run() { pytest; }; run || true", "run() { pytest || true; }; run", "function run { pytest; echo done; }; run", "run() { pytest; }\nrun\necho done",
	"set -e; pytest || true", "set -euo pipefail; pytest || true", "set -e; pytest | tee log", "set -o pipefail; pytest | tee log; echo done",
	"set -e; pytest && echo ok; deploy",
	"uv run pytest || true", "python -m pytest || true", "python3 -m unittest || true", "npx jest || true", "./node_modules/.bin/jest || true",
	"poetry run pytest; exit 0", "go test ./... || true", "go test ./... | tee log", "cargo test || true", "cargo +nightly test || true",
	"cargo nextest run || true", "npm test || true", "npm run test || true", "yarn test || true", "pnpm test || true", "pnpm exec vitest || true",
	"env CI=1 pytest || true", "CI=1 pytest || true", "timeout 60 pytest || true", "command pytest || true", "coverage run -m pytest || true",
	"'pytest' || true", `"pytest" || true`, `py\test || true`, "make test || true", "make test | tee log", "sh -c 'pytest || true'", "exec sh -c 'pytest; exit 0'",
	"for d in a b; do pytest $d || true; done", "case x in *) pytest || true;; esac", "while read d; do pytest $d || true; done",
	"golangci-lint run || true", "lint; exit 0", "cd x; lint || true", "cd x && lint || true", "lint | tee log", "lint &", "(lint || true)", "set -e; cd x; lint || true",
	"pytest || true; rc=$?; exit $rc",
}

// empty scripts run nothing: their exit code is no evidence.
var empty = []string{"", " ", "\n\n", "# make test", "# one\n# two\n"}

func TestEmptyScripts(t *testing.T) {
	for _, script := range empty {
		if text, hint := masks([]string{"sh", "-c", script}); !strings.Contains(text, "is empty") || hint == "" {
			t.Errorf("%q: %q %q", script, text, hint)
		}
	}
}

// sound scripts pass the status on, or may do so.
var sound = []string{
	"pytest", "pytest -q", "exec pytest", "cd x && pytest", "cd x; pytest", "set -euo pipefail; a; pytest", "set -e; pytest; echo done", "set -e\npytest\nexit 0",
	"docker compose up -d; pytest", "docker compose up -d || true; pytest", "rm -f log || true; pytest", "pytest || exit 1", "pytest || exit $?", "pytest || exit",
	"pytest || { echo failed; exit 1; }", "pytest || (cat log; exit 1)", "pytest || { rc=$?; cleanup; exit $rc; }", "pytest || rc=1; exit $rc",
	"pytest; rc=$?; docker compose down; exit $rc", "pytest; exit $?", "pytest; exit", "pytest && echo ok", "pytest && go test ./...", "pytest || pytest --lf",
	"set -o pipefail; pytest | tee log", "set -eo pipefail; pytest | tee log", "pytest | tee log; exit ${PIPESTATUS[0]}", "yes | npm test", "cat list | xargs pytest",
	"shopt -s -o pipefail; pytest | tee log",
	"if ! pytest; then echo bad; exit 1; fi", "if pytest; then echo ok; else exit 1; fi", "if ! pytest; then failed=1; fi; exit $failed", "if pytest; then echo ok; else echo bad; exit 1; fi",
	"if ! pytest; then cleanup; false; fi", "! pytest && exit 1", "! grep -rn TODO src",
	"trap 'rm -rf tmp' EXIT; pytest", "trap 'rc=$?; rm -rf tmp; exit $rc' EXIT; pytest", "trap 'exit 0' INT; pytest", "trap cleanup EXIT; pytest",
	"trap 'exit 1' ERR; pytest; echo done", "server & pytest", "pytest & pid=$!; wait $pid", "npm test & wait $!", "npm start & sleep 1; pytest",
	"run() { pytest; }; run", "run() { pytest; }; run || exit 1", "fail() { exit 1; }; pytest || fail", "until pytest; do sleep 1; done",
	"for d in a b; do (cd $d && pytest) || exit 1; done", "for i in 1 2 3; do pytest && break; done",
	"echo 'pytest || true'", "echo pytest; exit 0", "# pytest || true\npytest", "cat <<'E'\npytest || true\nE\npytest", "grep -q 'pytest || true' x && pytest",
	"pytest --deselect 'a || true'", "pytest -k 'not slow' # || true", "pytest || echo 1 > failed; test ! -f failed",
	"git diff --exit-code", "git ls-files | xargs shellcheck", "exit 0", "true", "echo hi", "exit 3", "sleep 1; exit 0", "a; b", "set -e; a; b || true",
	"a || exit 1; b || exit 1; exit 0", "if a; then exit 1; fi; exit 0", "$RUN || true; pytest", "pip install pytest || true; pytest", "npm install; npm test",
	"which pytest; pytest", "pytest-watch; echo", "go build ./...; go test ./...", "cargo build; cargo test", "not a ( script",
	"set -e; pytest; docker compose down || true", "go test -c -o x.test .; ./x.test", "cargo test --no-run; cargo test", "pytest --version; pytest",
	"pytest --collect-only || true; pytest",
}

func TestMaskedScripts(t *testing.T) {
	for _, script := range masked {
		if text, hint := masks([]string{"bash", "-c", script}); text == "" {
			t.Errorf("%q passes, and hides a status", script)
		} else if hint == "" {
			t.Errorf("%q: no hint beside %q", script, text)
		}
	}
	for _, script := range sound {
		if text, _ := masks([]string{"bash", "-c", script}); text != "" {
			t.Errorf("%q is refused: %s", script, text)
		}
	}
}

func TestMaskedArgv(t *testing.T) {
	for _, c := range []struct {
		argv   string // words by blanks; the last is the script, after " | "
		script string
		masked bool
	}{
		{"bash -c", "pytest || true", true},
		{"sh -c", "pytest || true", true},
		{"dash -c", "pytest || true", true},
		{"ksh -c", "pytest || true", true},
		{"zsh -c", "pytest || true", true},
		{"/bin/bash -c", "pytest || true", true},
		{`C:\Git\bin\bash.exe -c`, "pytest || true", true},
		{"bash -lc", "pytest || true", true},
		{"bash -euo pipefail -c", "pytest || true", true},
		{"bash --norc -c", "pytest || true", true},
		{"bash -c -e", "pytest || true", true},
		{"bash -c --", "pytest || true", true},
		{"env A=1 bash -c", "pytest || true", true},
		{"timeout 60 bash -c", "pytest || true", true},
		{"uv run bash -c", "pytest || true", true},
		{"busybox sh -c", "pytest || true", true},
		{"bash -c", "pytest | tee log", true},
		{"bash -o pipefail -c", "pytest | tee log", false},
		{"bash -euo pipefail -c", "pytest | tee log; echo done", false},
		{"bash -ec", "pytest; echo done", false},
		{"bash -c -e", "pytest; echo done", false},
		{"bash +e -c", "pytest; echo done", true},
		{"zsh -o pipe_fail -c", "pytest | tee log", false},
		{"bash", "pytest || true", false}, // a file of that name
		{"bash -x", "pytest || true", false},
		{"echo bash -c", "pytest || true", false},
		{"wrapper -- bash -c", "pytest || true", false},
		{"fish -c", "pytest || true", false},
		{"python -c", "pytest || true", false},
	} {
		text, _ := masks(append(strings.Fields(c.argv), c.script))
		if got := text != ""; got != c.masked {
			t.Errorf("%s %q: masked is %v (%s), want %v", c.argv, c.script, got, text, c.masked)
		}
	}
	for _, argv := range [][]string{nil, {}, {""}, {"bash"}, {"bash", "-c"}, {"bash", "-o"}, {"env"}, {"timeout"}, {"timeout", "1"}, {"uv", "run"}, {"busybox"}, {"coverage"}, {"coverage", "run"}} {
		if text, _ := masks(argv); text != "" {
			t.Errorf("%q: %s", argv, text)
		}
	}
}

func TestMaskedDeepScript(t *testing.T) {
	for _, script := range []string{strings.Repeat("(", 30000), strings.Repeat("{ ", 30000), strings.Repeat("$(", 900), strings.Repeat("if ", 10000), strings.Repeat("`", 900),
		strings.Repeat("! ", 20000) + "a", strings.Repeat("a|", 20000) + "a", strings.Repeat("a||", 20000) + "a", strings.Repeat("time ", 10000) + "a",
		strings.Repeat("f() ", 10000) + "{ a; }", strings.Repeat("pytest || true; ", 4000), strings.Repeat("f() { pytest; }; ", 3000),
		strings.Repeat("true&&", 10000) + "true", "set -o pipefail;" + strings.Repeat("a|", 15000) + "a", strings.Repeat("{ pytest; };", 3000)} {
		start := time.Now()
		masks([]string{"bash", "-c", script})
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%.40s…: took %v", script, took)
		}
	}
}

func FuzzMasks(f *testing.F) {
	for _, s := range masked {
		f.Add(s)
	}
	for _, s := range sound {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		for _, sh := range []string{"bash", "sh", "zsh", "ksh"} {
			masks([]string{sh, "-c", script})
		}
	})
}
