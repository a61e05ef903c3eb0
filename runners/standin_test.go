package runners

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"factgate/config"
	"factgate/facts"
)

// value reads one variable of a plan.
func value(env []string, name string) (string, bool) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

func plan(t *testing.T, c config.Check, env ...string) Plan {
	t.Helper()
	set, problems := New(nil)
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	if c.Dir == "" {
		c.Dir = "."
	}
	p, err := set.Plan(c, Machine{Env: env, Root: "/repo", RunDir: "/state/run/1", Tools: "/state/tools/new", OS: "linux", Arch: "amd64", RunMark: "new"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProgramByPath: PATH does not lead to a program that argv names by its path, so ours is put in its place and is told
// which one it stands for. What is declared stays in the key.
func TestProgramByPath(t *testing.T) {
	for _, c := range []struct {
		runner, dir string
		command     []string
		want        string // argv
		real        string // of the variable that the runner's stand-in reads
		program     string // that must be there; empty: not looked at
	}{
		{"go", ".", []string{"/usr/local/go/bin/go", "test", "./..."}, "/state/tools/new/bin/go test ./...", "/usr/local/go/bin/go", "/usr/local/go/bin/go"},
		{"go", "a b", []string{"../sdk/bin/go", "test"}, "/state/tools/new/bin/go test", "/repo/sdk/bin/go", "../sdk/bin/go"},
		{"go", ".", []string{"timeout", "5m", "/opt/go/bin/go", "test"}, "timeout 5m /state/tools/new/bin/go test", "/opt/go/bin/go", ""},
		{"go", ".", []string{"go", "test"}, "go test", "", "go"},
		{"go", ".", []string{"env", "go", "test"}, "env go test", "", ""},
		{"go", ".", []string{"./run-go", "test"}, "./run-go test", "", ""},
		{"cargo", ".", []string{"/root/.cargo/bin/cargo", "+stable", "test"}, "/state/tools/new/bin/cargo +stable test", "/root/.cargo/bin/cargo", "/root/.cargo/bin/cargo"},
		{"cargo", ".", nil, "cargo test", "", "cargo"},
		{"command", ".", []string{"/usr/local/go/bin/go", "vet"}, "/usr/local/go/bin/go vet", "", ""},
		{"pytest", ".", []string{"/venv/bin/pytest"}, "/venv/bin/pytest", "", ""},
	} {
		p := plan(t, config.Check{Name: "x", Runner: c.runner, Dir: c.dir, Command: c.command}, "PATH=/usr/bin")
		if got := strings.Join(p.Argv, " "); got != c.want {
			t.Errorf("%q starts %q, want %q", c.command, got, c.want)
		}
		if got, _ := value(p.Env, "FACTGATE_REAL_"+strings.ToUpper(c.runner)); got != c.real {
			t.Errorf("%q: the stand-in is told %q, want %q", c.command, got, c.real)
		}
		switch {
		case p.StandIn == nil:
			if c.program != "" {
				t.Errorf("%q: nobody looks for %q", c.command, c.program)
			}
		case p.StandIn.Program != c.program:
			t.Errorf("%q: %q is looked for, want %q", c.command, p.StandIn.Program, c.program)
		default:
			if path, _ := value(p.StandIn.Env, "PATH"); path != "/usr/bin" {
				t.Errorf("%q: it is looked for on %q", c.command, path)
			}
		}
		if got := p.Material().Argv; len(c.command) > 0 && !slices.Equal(got, c.command) {
			t.Errorf("the key of %q has %q", c.command, got)
		}
	}
}

// TestInnerRunIsItsOwn: a factgate verify that a run starts takes the outer run's injections out, and leaves what is the
// user's.
func TestInnerRunIsItsOwn(t *testing.T) {
	p := plan(t, config.Check{Name: "x", Runner: "command", Command: []string{"true"}},
		"FACTGATE_RUN=outer", "FACTGATE_RUN_DIR=/state/run/0", "FACTGATE_NESTED=/state/run/0", "FACTGATE_TOOLS=/state/tools/old",
		"FACTGATE_FRESH=1", "FACTGATE_REAL_GO=/opt/go", "FACTGATE_REAL_CARGO=/opt/cargo", "FACTGATE_CARGO=abc", "FACTGATE_CARGO_CHAIN_X86=[]",
		"FACTGATE_RUSTDOC=rustdoc", "FACTGATE_DOCTEST=1", "RUSTDOC=/state/tools/old/bin/factgate-rustdoc",
		"CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=factgate-cargo-runner x86_64-unknown-linux-gnu",
		"CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUNNER=qemu -L /x", "PYTHONPATH=/state/tools/old/pytest:/mine",
		"PATH=/state/tools/old/bin:/usr/bin", "FACTGATE_STATE_DIR=/state", "RUSTFLAGS=-g", "CI=1")
	want := []string{"CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUNNER=qemu -L /x", "CI=true", "FACTGATE_RUN=new", "FACTGATE_RUN_DIR=/state/run/1",
		"FACTGATE_STATE_DIR=/state", "FACTGATE_TOOLS=/state/tools/new", "PATH=/usr/bin", "PWD=/repo", "PYTHONPATH=/mine", "RUSTFLAGS=-g"}
	if !slices.Equal(p.Env, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(p.Env, "\n"), strings.Join(want, "\n"))
	}
}

// TestMeaningIsRefined: what the one process says that is the runner is more precise than the table, and never clean.
func TestMeaningIsRefined(t *testing.T) {
	process := func(runner, argv0 string, code int, m facts.Meaning) facts.Process {
		return facts.Process{Runner: runner, Argv: []string{argv0}, Ended: true, Code: code, Meaning: m}
	}
	cargo := process("cargo", "cargo", 101, facts.TestsFailed)
	nested := process("cargo", "cargo", 101, facts.BuildFailed)
	nested.Nested = true
	cut := cargo
	cut.Ended = false
	for _, c := range []struct {
		name   string
		runner string
		code   int
		seen   []facts.Process
		want   facts.Meaning
	}{
		{"alone", "cargo", 101, []facts.Process{process("cargo", "cargo", 101, facts.BuildFailed)}, facts.BuildFailed},
		{"by its path", "cargo", 101, []facts.Process{process("cargo", filepath.FromSlash("/root/.cargo/bin/cargo"), 101, facts.BuildFailed)}, facts.BuildFailed},
		{"with test binaries", "cargo", 101, []facts.Process{process("cargo", "/t/deps/a-1", 0, facts.Clean), cargo, process("cargo", "/t/deps/b-1", 101, facts.NotClean)}, facts.TestsFailed},
		{"with nested", "cargo", 101, []facts.Process{nested, cargo}, facts.TestsFailed},
		{"two cargos", "cargo", 101, []facts.Process{cargo, cargo}, facts.NotClean},
		{"without an end", "cargo", 101, []facts.Process{cut}, facts.NotClean},
		{"another code", "cargo", 101, []facts.Process{process("cargo", "cargo", 1, facts.Misused)}, facts.NotClean},
		{"says clean", "cargo", 101, []facts.Process{process("cargo", "cargo", 101, facts.Clean)}, facts.NotClean},
		{"binaries alone", "cargo", 101, []facts.Process{process("cargo", "/t/a", 0, facts.Clean), process("cargo", "/t/b", 101, facts.TestsFailed)}, facts.NotClean},
		{"a code of a test binary", "cargo", 3, []facts.Process{process("cargo", "/t/a", 3, facts.NotClean), process("cargo", "cargo", 3, facts.TestsFailed)}, facts.TestsFailed},
		{"1 of a test binary", "cargo", 1, []facts.Process{process("cargo", "/t/a", 1, facts.NotClean), process("cargo", "cargo", 1, facts.TestsFailed)}, facts.TestsFailed},
		{"1 of cargo", "cargo", 1, []facts.Process{process("cargo", "cargo", 1, facts.Misused)}, facts.Misused},
		{"go", "go", 1, []facts.Process{process("go", "go", 1, facts.BuildFailed)}, facts.BuildFailed},
		{"nobody", "go", 1, nil, facts.NotClean},
		{"a code of the table", "go", 2, []facts.Process{process("go", "go", 2, facts.TestsFailed)}, facts.Misused},
	} {
		p := plan(t, config.Check{Name: "x", Runner: c.runner})
		if got := p.Meaning(facts.Exit{Code: c.code}, c.seen...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
