package shim

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestGoEndings holds every way in which go test ends against what the shim makes of it, and what it prints against what go
// test prints.
func TestGoEndings(t *testing.T) {
	for _, c := range []struct {
		name, fixture string
		args          []string
		code          int
		meaning       string
		silent        bool // no results file
		differs       bool // prints times of its own or goroutine numbers in an order of its own
	}{
		{name: "pass", fixture: "pass", args: []string{"./..."}, meaning: "clean"},
		{name: "pass here", fixture: "pass", meaning: "clean"},
		{name: "fail", fixture: "fail", args: []string{"./..."}, code: 1, meaning: "tests_failed"},
		{name: "fail here", fixture: "fail", code: 1, meaning: "tests_failed"},
		{name: "cover", fixture: "pass", args: []string{"-cover", "."}, meaning: "clean"},
		{name: "bench", fixture: "pass", args: []string{"-bench", ".", "."}, meaning: "clean"},
		{name: "skipped", fixture: "skipped", args: []string{"."}, meaning: "clean"},
		{name: "no tests", fixture: "none", args: []string{"./..."}, meaning: "clean"},
		{name: "no match", fixture: "pass", args: []string{"-run", "Nope", "."}, meaning: "clean"},
		{name: "broken", fixture: "broken", args: []string{"./..."}, code: 1, meaning: "build_failed"},
		{name: "no package", fixture: "pass", args: []string{"./nope"}, code: 1, meaning: "collection_failed"},
		{name: "panic", fixture: "panics", args: []string{"."}, code: 1, meaning: "tests_failed", differs: true},
		{name: "exit 0", fixture: "exits", args: []string{"."}, meaning: "clean"},
		{name: "exit 0 after", fixture: "mainzero", args: []string{"."}, meaning: "clean"},
		{name: "killed", fixture: "killed", args: []string{"."}, code: 1, meaning: "not_clean"},
		{name: "hangs", fixture: "hangs", args: []string{"-timeout", "1s", "."}, code: 1, meaning: "not_clean", differs: true},
		{name: "misused", fixture: "pass", args: []string{"-count=x"}, code: 2, meaning: "misused", silent: true},
		{name: "no module", args: nil, code: 1, meaning: "misused", silent: true},
		{name: "compile only", fixture: "pass", args: []string{"-c", "-o", os.DevNull}, meaning: "clean", silent: true},
		{name: "list", fixture: "pass", args: []string{"-list", ".", "."}, meaning: "clean", silent: true},
		{name: "json=false", fixture: "fail", args: []string{"-json=false", "./..."}, code: 1, meaning: "tests_failed"},
		{name: "args", fixture: "pass", args: []string{".", "-args", "-json"}, code: 1, meaning: "not_clean"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fixture := ""
			if c.fixture != "" {
				fixture = "go/" + c.fixture
			}
			r := newRig(t, "go", fixture)
			argv := append([]string{"go", "test"}, c.args...)
			got := r.run(argv...)
			if got.code != c.code || got.signal != "" {
				t.Errorf("ended with %d %s, want %d\n%s%s", got.code, got.signal, c.code, got.stdout, got.stderr)
			}
			if m := got.meaning("go"); m != c.meaning {
				t.Errorf("means %s, want %s", m, c.meaning)
			}
			if n := len(got.of("results")); n != 1 && !c.silent || n != 0 && c.silent {
				t.Errorf("%d results files", n)
			}
			for _, e := range got.of("results") {
				if _, err := os.Stat(filepath.Join(r.runs, e.File)); err != nil {
					t.Error(err)
				}
			}
			if c.differs {
				return
			}
			plain := r.plain(argv...)
			want, have := strings.ReplaceAll(still(plain.stdout), "(cached)", "T"), strings.ReplaceAll(still(got.stdout), "(cached)", "T")
			if d := cmp.Diff(want, have); d != "" {
				t.Errorf("prints otherwise than go test:\n%s", d)
			}
			if d := cmp.Diff(still(plain.stderr), still(got.stderr)); d != "" {
				t.Errorf("says otherwise than go test:\n%s", d)
			}
		})
	}
}

func TestGoVerboseIsTheSame(t *testing.T) {
	r := newRig(t, "go", "go/fail")
	argv := []string{"go", "test", "-v", "-run", "TestFail|TestPass|Example", "."}
	var want strings.Builder
	for line := range strings.Lines(r.plain(argv...).stdout) {
		if !strings.HasPrefix(line, "=== NAME") { // -json leaves these out
			want.WriteString(line)
		}
	}
	if d := cmp.Diff(still(want.String()), still(r.run(argv...).stdout)); d != "" {
		t.Error(d)
	}
}

func TestGoJSONOfTheUserIsTheStream(t *testing.T) {
	r := newRig(t, "go", "go/fail")
	got := r.run("go", "test", "-json", "./...")
	kept, err := os.ReadFile(filepath.Join(r.runs, got.of("results")[0].File))
	if err != nil {
		t.Fatal(err)
	}
	if got.stdout != string(kept) || !strings.HasPrefix(got.stdout, "{") {
		t.Errorf("printed\n%s\nkept\n%s", got.stdout, kept)
	}
	if m := got.meaning("go"); m != "tests_failed" || got.code != 1 {
		t.Errorf("%d means %s", got.code, m)
	}
}

// TestGoCacheStays: a second run is answered from go's own cache, also for a test that reads PATH. --fresh passes it
// by.
func TestGoCacheStays(t *testing.T) {
	r := newRig(t, "go", "go/pass")
	source := filepath.Join(r.dir, "own_test.go") // of this test run alone, so that nothing is cached yet
	if err := os.WriteFile(source, []byte("package a\n\nconst own = `"+r.dir+"`\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if first := r.run("go", "test", "./..."); strings.Contains(first.stdout, "(cached)") {
		t.Fatalf("the first run: %s", first.stdout)
	}
	r.runs = t.TempDir()
	if second := r.run("go", "test", "./..."); !strings.Contains(second.stdout, "(cached)") {
		t.Errorf("the second run: %s", second.stdout)
	}
	r.env = append(r.env, "FACTGATE_FRESH=1")
	if fresh := r.run("go", "test", "./..."); strings.Contains(fresh.stdout, "(cached)") {
		t.Errorf("fresh: %s", fresh.stdout)
	}
}

func TestGoFlagsFromGoEnv(t *testing.T) {
	r := newRig(t, "go", "go/fail")
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("GOFLAGS=-run=Nope -mod=mod -exec=true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.env = append(r.env, "GOENV="+file)
	if plain := r.plain("go", "test", "./..."); plain.code != 0 {
		t.Fatalf("go does not read the file: %s", plain.stdout)
	}
	got := r.run("go", "test", "./...")
	if got.code != 1 || len(got.of("note")) != 2 {
		t.Errorf("%d, notes %v\n%s", got.code, got.of("note"), got.stdout)
	}
	r.runs = t.TempDir()
	r.env = append(r.env, "GOFLAGS=-skip=.") // cleaned by the plan: what is there now is declared
	if got = r.run("go", "test", "./..."); got.code != 0 || len(got.of("note")) != 0 {
		t.Errorf("with the variable: %d, notes %v", got.code, got.of("note"))
	}
}

// TestGoNested: go test below a test writes nothing but that it is nested, and is the real go when it is found by name.
func TestGoNested(t *testing.T) {
	r := newRig(t, "go", "go/nested")
	r.env = append(r.env, "OUTER_BIN="+r.bin, "OUTER_PATH="+r.bin+string(os.PathListSeparator)+get(r.env, "PATH"))
	got := r.run("go", "test", "-count=1", ".")
	if got.code != 0 {
		t.Fatalf("%s%s", got.stdout, got.stderr)
	}
	if n := len(got.of("nested")); n != 1 || len(got.of("start")) != 1 || len(got.of("results")) != 1 {
		t.Errorf("%v", got.streams)
	}
}

func TestGoElsewhere(t *testing.T) {
	r := newRig(t, "go", "go/pass")
	t.Run("env and build are handed on", func(t *testing.T) {
		got := r.run("go", "env", "GOFLAGS", "GOVERSION")
		if got.code != 0 || len(got.streams) != 0 || !strings.Contains(got.stdout, "go1") {
			t.Errorf("%+v", got)
		}
		if got := r.run("go", "vet", "./..."); got.code != 0 || len(got.streams) != 0 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("outside a run", func(t *testing.T) {
		runs := r.runs
		r.runs = ""
		defer func() { r.runs = runs }()
		if got := r.run("go", "test", "./..."); got.code != 0 || !strings.HasPrefix(got.stdout, "ok") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("-C", func(t *testing.T) {
		dir := r.dir
		r.dir = t.TempDir()
		defer func() { r.dir = dir }()
		if got := r.run("go", "-C", dir, "test", "."); got.code != 0 || got.meaning("go") != "clean" {
			t.Errorf("%+v", got)
		}
		if got := r.run("go", "test", "-C", dir, "."); got.code != 0 || len(got.of("results")) != 2 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("behind a shell", func(t *testing.T) {
		r.runs = t.TempDir()
		if got := r.run("sh", "-c", "go test ./... ; go test -count=x; true"); got.code != 0 || len(got.of("end")) != 2 {
			t.Errorf("%+v", got)
		}
	})
}

// TestEndingsPassThrough: the shim ends as the program behind it does, and writes an end only for a code.
func TestEndingsPassThrough(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals are Unix's")
	}
	for _, c := range []struct {
		script, signal string
		code           int
	}{
		{"exit 42", "", 42}, {"kill -TERM $$", "terminated", -1}, {"kill -KILL $$", "killed", -1}, {"kill -ABRT $$", "aborted", -1},
	} {
		for _, name := range []string{"go", "cargo"} {
			t.Run(name+" "+c.script, func(t *testing.T) {
				r := newRig(t, "sh", "")
				real := t.TempDir()
				if err := os.WriteFile(filepath.Join(real, name), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
				r.env = set(r.env, "PATH", real+string(os.PathListSeparator)+get(r.env, "PATH"))
				got := r.run(name, "test")
				if got.code != c.code || got.signal != c.signal {
					t.Errorf("ended with %d %q", got.code, got.signal)
				}
				if c.signal != "" && (got.unended() != 1 || len(got.of("outside")) != 1) || c.signal == "" && got.unended() != 0 {
					t.Errorf("%v", got.streams)
				}
			})
		}
	}
}

func TestNoOtherGo(t *testing.T) {
	r := newRig(t, "go", "")
	r.env = set(r.env, "PATH", r.dir)
	if got := r.run("go", "test"); got.code != 127 || len(got.streams) != 0 || !strings.Contains(got.stderr, "no other go on PATH") {
		t.Errorf("%+v", got)
	}
}

func TestRealGoByPath(t *testing.T) {
	r := newRig(t, "sh", "")
	real := filepath.Join(t.TempDir(), "mygo")
	if err := os.WriteFile(real, []byte("#!/bin/sh\necho \"$@\" ${FACTGATE_REAL_GO-unset}\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.env = append(r.env, "FACTGATE_REAL_GO="+real)
	if got := r.run("go", "version"); got.stdout != "version unset\n" {
		t.Errorf("%+v", got)
	}
}

// TestOutputHeld: a process that stays behind and holds the output does not hold the shim for long, and its bytes are there.
func TestOutputHeld(t *testing.T) {
	r := newRig(t, "sh", "")
	real := t.TempDir()
	script := "#!/bin/sh\nsleep 60 >&1 2>/dev/null &\necho $! >pid\necho '{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"x\\n\"}'\n"
	if err := os.WriteFile(filepath.Join(real, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	r.env = set(r.env, "PATH", real+string(os.PathListSeparator)+get(r.env, "PATH"))
	began := time.Now()
	got := r.run("go", "test")
	if d := time.Since(began); d > 30*time.Second {
		t.Errorf("held for %v", d)
	}
	if len(got.of("end")) != 1 || !strings.Contains(got.stdout, "x") {
		t.Errorf("%+v", got)
	}
	data, err := os.ReadFile(filepath.Join(r.dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}

// TestFullDiskIsNoEnd: what cannot be reported does not read as reported.
func TestFullDiskIsNoEnd(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	c := Call{Env: []string{envRunDir + "=" + t.TempDir()}}
	s := c.open("go")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	file := s.f
	s.f = full
	s.start("go", nil, "/")
	s.f = file
	s.note("after")
	s.close()
	data, err := os.ReadFile(s.path(".probe"))
	if err != nil || len(data) != 0 {
		t.Errorf("%q %v", data, err)
	}
	raw := rawFile{f: full}
	raw.Write([]byte("x"))
	if raw.err == nil {
		t.Error("a write to a full disk was not noticed")
	}
}
