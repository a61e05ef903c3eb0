package shim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newCargoRig shares one target directory between all cargo tests, whose crates have names of their own.
func newCargoRig(t *testing.T, target, fixture string) *rig {
	r := newRig(t, "cargo", "cargo/"+fixture)
	r.env = append(r.env, "CARGO_TARGET_DIR="+target, "CARGO_NET_OFFLINE=true", "CARGO_TERM_COLOR=never")
	return r
}

// TestCargoEndings holds every way in which cargo test ends against what the shims make of it.
func TestCargoEndings(t *testing.T) {
	target := t.TempDir()
	for _, c := range []struct {
		name, fixture string
		args          []string
		env           string
		code          int
		meaning       string
		counts        map[string]int
		outside       string // kinds, sorted, of failures outside cases
		problems      string // their codes
		unended       int
		stdout        bool // compare with what cargo prints
	}{
		{name: "pass", fixture: "pass", meaning: "clean", counts: map[string]int{"passed": 5, "skipped": 1}, stdout: true},
		{name: "quiet", fixture: "pass", args: []string{"-q"}, meaning: "clean", counts: map[string]int{"passed": 5, "skipped": 1}},
		{name: "exact", fixture: "pass", args: []string{"--", "--exact", "good"}, meaning: "clean", counts: map[string]int{"passed": 2}},
		{name: "nocapture", fixture: "pass", args: []string{"--", "--nocapture", "--test-threads=1"}, meaning: "clean", counts: map[string]int{"passed": 5, "skipped": 1}},
		{name: "ignored too", fixture: "pass", args: []string{"--", "--include-ignored"}, meaning: "clean", counts: map[string]int{"passed": 6}},
		{name: "list", fixture: "pass", args: []string{"--lib", "--", "--list"}, meaning: "clean", counts: map[string]int{}, stdout: true},
		{name: "own log", fixture: "pass", args: []string{"--lib", "--", "--logfile", os.DevNull}, meaning: "clean", counts: map[string]int{}},
		{name: "no run", fixture: "pass", args: []string{"--no-run"}, meaning: "clean", counts: map[string]int{}},
		{name: "no match", fixture: "pass", args: []string{"nomatch"}, meaning: "clean", counts: map[string]int{}},
		{name: "fail", fixture: "fail", args: []string{"--no-fail-fast"}, code: 101, meaning: "tests_failed",
			counts: map[string]int{"passed": 3, "failed": 6, "skipped": 2}},
		{name: "fail fast", fixture: "fail", code: 101, meaning: "tests_failed", counts: map[string]int{"passed": 1, "failed": 4, "skipped": 1}},
		{name: "fail masked", fixture: "fail", args: []string{"MASK"}, meaning: "tests_failed", counts: map[string]int{"passed": 1, "failed": 4, "skipped": 1}},
		{name: "none", fixture: "none", meaning: "clean", counts: map[string]int{}, stdout: true},
		{name: "skipped", fixture: "skipped", meaning: "clean", counts: map[string]int{"skipped": 1}, stdout: true},
		{name: "broken", fixture: "broken", code: 101, meaning: "build_failed", counts: map[string]int{}, outside: "build"},
		{name: "misused", fixture: "pass", args: []string{"--nope"}, code: 1, meaning: "misused", counts: map[string]int{}},
		{name: "misused behind", fixture: "pass", args: []string{"--lib", "--", "--nope"}, code: 101, meaning: "not_clean", counts: map[string]int{},
			outside: "outside_tests", problems: "no_result_line", unended: 1},
		{name: "aborts", fixture: "aborts", code: 101, meaning: "not_clean", counts: map[string]int{"passed": 1}, outside: "crash", unended: 1},
		{name: "exit 0", fixture: "exits", meaning: "clean", counts: map[string]int{"passed": 1}, problems: "no_result_line", unended: 1},
		{name: "exit 3", fixture: "exits", env: "EXIT=3", code: 3, meaning: "not_clean", counts: map[string]int{"passed": 1}, outside: "outside_tests",
			problems: "no_result_line", unended: 1},
		{name: "own harness", fixture: "custom", meaning: "clean", counts: map[string]int{}},
		{name: "own harness fails", fixture: "custom", env: "EXIT=7", code: 7, meaning: "tests_failed", counts: map[string]int{}, outside: "outside_tests"},
		{name: "forged end", fixture: "forges", meaning: "clean", counts: map[string]int{}, problems: "claims_differ count_differs"},
		{name: "workspace", fixture: "workspace", args: []string{"--no-fail-fast"}, code: 101, meaning: "tests_failed", counts: map[string]int{"passed": 1, "failed": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newCargoRig(t, target, c.fixture)
			if c.env != "" {
				r.env = append(r.env, c.env)
			}
			argv := append([]string{"cargo", "test"}, c.args...)
			if len(c.args) > 0 && c.args[0] == "MASK" {
				argv = []string{"sh", "-c", "cargo test || true"}
			}
			got := r.run(argv...)
			if got.code != c.code {
				t.Errorf("ended with %d, want %d\n%s%s", got.code, c.code, got.stdout, got.stderr)
			}
			if m := got.meaning("cargo"); m != c.meaning {
				t.Errorf("means %s, want %s", m, c.meaning)
			}
			if d := cmp.Diff(c.counts, got.counts()); d != "" {
				t.Errorf("cases: %s\n%s", d, got.stdout)
			}
			var outside, problems []string
			for _, e := range got.of("outside") {
				outside = append(outside, e.Kind)
			}
			for _, e := range got.of("problem") {
				problems = append(problems, e.Code)
			}
			if strings.Join(outside, " ") != c.outside || strings.Join(problems, " ") != c.problems {
				t.Errorf("outside %v, want %q; problems %v, want %q", outside, c.outside, problems, c.problems)
			}
			if n := got.unended(); n != c.unended {
				t.Errorf("%d streams without an end, want %d: %v", n, c.unended, got.streams)
			}
			if c.stdout {
				if d := cmp.Diff(sortedLines(r.plain(argv...).stdout), sortedLines(got.stdout)); d != "" {
					t.Errorf("prints otherwise than cargo:\n%s", d)
				}
			}
		})
	}
	t.Run("ids and places", func(t *testing.T) { cargoPlaces(t, target) })
	t.Run("nested", func(t *testing.T) { cargoNested(t, target) })
	t.Run("own runner and rustdoc", func(t *testing.T) { cargoChain(t, target) })
	t.Run("other commands", func(t *testing.T) { cargoOthers(t, target) })
	t.Run("hangs", func(t *testing.T) { cargoHangs(t, target) })
	t.Run("nextest", func(t *testing.T) { cargoNextest(t, target) })
}

// sortedLines: tests run in threads, so the order of their lines is chance.
func sortedLines(s string) []string {
	lines := strings.Split(still(s), "\n")
	slices.Sort(lines)
	return lines
}

func cargoPlaces(t *testing.T, target string) {
	r := newCargoRig(t, target, "workspace")
	got := r.run("cargo", "test", "--no-fail-fast")
	ids := map[string]event{}
	for _, e := range got.of("case") {
		ids[e.ID] = e
	}
	one, ok := ids["fg-one fg_one::bad"]
	if !ok || !strings.Contains(string(one.Failures), `"file":"src/lib.rs","line":3`) || !strings.Contains(string(one.Failures), `"message":"in one"`) {
		t.Errorf("%+v %s", one, one.Failures)
	}
	if two, ok := ids["fg-two bin/fg_two::good"]; !ok && ids["fg-two bin/fg-two::good"].ID == "" {
		t.Errorf("%+v in %v", two, ids)
	}
	r = newCargoRig(t, target, "fail")
	got = r.run("cargo", "test", "--no-fail-fast")
	want := map[string]string{
		"fg-fail fg_fail::bad":                       "assertion `left == right` failed: why; more; left: 1; right: 2",
		"fg-fail fg_fail::errs":                      `Error: \"boo\"`,
		"fg-fail fg_fail::panics_otherwise":          "panic did not contain expected string",
		"fg-fail fg_fail::panics_not":                "test did not panic as expected at src/lib.rs:",
		"fg-fail doctest::src/lib.rs - one (line 1)": "assertion `left == right` failed: wrong; left: 1; right: 2",
		"fg-fail doctest::src/lib.rs - one (line 5)": "error[E0308]: mismatched types",
	}
	for _, e := range got.of("case") {
		if message, ok := want[e.ID]; ok {
			delete(want, e.ID)
			if !strings.Contains(string(e.Failures), message) || !strings.Contains(string(e.Failures), `"line":`) && !strings.Contains(e.ID, "errs") {
				t.Errorf("%s: %s", e.ID, e.Failures)
			}
		}
		if e.ID == "fg-fail doctest::src/lib.rs - one (line 1)" && !strings.Contains(string(e.Failures), `"file":"src/lib.rs","line":2`) {
			t.Errorf("%s: %s", e.ID, e.Failures)
		}
		if e.ID == "fg-fail fg_fail::later" && (e.Kind != "ignored" || e.Reason != "slow one") {
			t.Errorf("%+v", e)
		}
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}

func cargoNested(t *testing.T, target string) {
	r := newCargoRig(t, target, "nested")
	got := r.run("cargo", "test", "--lib")
	if got.code != 0 || len(got.of("nested")) != 1 || got.counts()["passed"] != 1 || len(got.of("case")) != 1 {
		t.Errorf("%+v", got)
	}
}

// cargoChain: a runner and a rustdoc of the user's own stay in use behind ours.
func cargoChain(t *testing.T, target string) {
	r := newCargoRig(t, target, "pass")
	log := filepath.Join(r.dir, "calls")
	for name, last := range map[string]string{"my runner": `exec "$@"`, "my-rustdoc": `exec rustdoc "$@"`} {
		script := "#!/bin/sh\necho \"$0\" >>'" + log + "'\n" + last + "\n"
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(r.dir, ".cargo"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := "[build]\nrustdoc = \"./my-rustdoc\"\n[target.'cfg(any(unix, windows))']\nrunner = [\"./my runner\"]\n"
	if err := os.WriteFile(filepath.Join(r.dir, ".cargo", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	got := r.run("cargo", "test")
	if got.code != 0 || got.counts()["passed"] != 5 {
		t.Fatalf("%+v", got)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	// three test binaries and one doctest through the runner; rustdoc may also be asked for its version
	if n := strings.Count(string(data), "my runner"); n != 4 || !strings.Contains(string(data), "my-rustdoc") {
		t.Errorf("%d calls of the runner:\n%s", n, data)
	}
	r = newCargoRig(t, target, "pass")
	for _, triple := range hostTriples("linux", "amd64") {
		r.env = append(r.env, runnerVar(triple)+"=true")
	}
	if got = r.run("cargo", "test", "--lib"); got.code != 0 || got.unended() != 1 {
		t.Errorf("a runner that runs nothing: %+v", got)
	}
}

func cargoOthers(t *testing.T, target string) {
	r := newCargoRig(t, target, "pass")
	for _, argv := range [][]string{{"cargo", "--version"}, {"cargo", "run", "-q"}, {"cargo", "build", "-q"}, {"cargo", "metadata", "--no-deps", "--format-version=1"}} {
		if got := r.run(argv...); got.code != 0 || len(got.streams) != 0 {
			t.Errorf("%q: %+v", argv, got)
		}
	}
	if got := r.run("cargo", "nosuch"); got.code != 101 || got.meaning("cargo") != "not_clean" {
		t.Errorf("%+v", got)
	}
}

// cargoHangs: a run that is killed as a group leaves no end.
func cargoHangs(t *testing.T, target string) {
	r := newCargoRig(t, target, "hangs")
	if got := r.run("cargo", "test", "--no-run"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	r.runs = t.TempDir()
	began := time.Now()
	got := r.run("timeout", "-s", "KILL", "-k", "5", "3", "cargo", "test", "--lib")
	if got.unended() < 2 || time.Since(began) > time.Minute {
		t.Errorf("%+v", got)
	}
}

func cargoNextest(t *testing.T, target string) {
	for _, c := range []struct {
		fixture string
		args    []string
		code    int
		meaning string
		results int
	}{
		{"pass", nil, 0, "clean", 1}, {"fail", nil, 100, "tests_failed", 1}, {"none", nil, 4, "no_tests", 1}, {"broken", nil, 101, "build_failed", 0},
		{"aborts", nil, 100, "tests_failed", 1}, {"pass", []string{"--nope"}, 2, "misused", 0}, {"own", []string{"-P", "ci"}, 0, "clean", 1},
	} {
		fixture := c.fixture
		if fixture == "own" {
			fixture = "pass"
		}
		r := newCargoRig(t, target, fixture)
		if (&Call{Env: r.env}).hasNextest(r.env) == false {
			if os.Getenv("FACTGATE_REQUIRE_NEXTEST") != "" {
				t.Fatal("cargo-nextest is not here, and FACTGATE_REQUIRE_NEXTEST says that it must be: scripts/setup.sh nextest")
			}
			t.Skip("needs cargo-nextest: scripts/setup.sh nextest builds it in some minutes")
		}
		if c.fixture == "own" {
			if err := os.Mkdir(filepath.Join(r.dir, ".config"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(r.dir, ".config", "nextest.toml"), []byte("[profile.ci.junit]\npath = \"own.xml\"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := r.run(append([]string{"cargo", "nextest", "run"}, c.args...)...)
		if got.code != c.code || got.meaning("cargo") != c.meaning || len(got.of("results")) != c.results || len(got.of("case")) != 0 {
			t.Errorf("%s %v: %+v", c.fixture, c.args, got)
		}
	}
}
