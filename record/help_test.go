package record

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"factgate/facts"
	"factgate/verdict"
)

// start is the time at which the tests' first run began.
var start = time.Date(2026, 7, 10, 9, 0, 0, 0, time.UTC)

// testKey is the same in every run of the tests.
func testKey() Signer { return NewSigner(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))) }

// id is the nth run's id: they sort by n.
func id(n int) string {
	return ulid.MustNew(ulid.Timestamp(start.Add(time.Duration(n)*time.Second)), bytes.NewReader(make([]byte, 10))).String()
}

// sample is the nth run: passed, with two cases.
func sample(n int, change ...func(*Record)) Record {
	r := Record{
		ID: id(n), Check: "api", Config: hash([]byte("config")), Key: "k1", Runner: "pytest",
		Argv: []string{"uv", "run", "pytest", "-q"}, Program: Program{"/usr/bin/uv", hash([]byte("uv"))},
		Dir: "services/api", Tier: "push", Timeout: 5 * time.Minute, Attempt: 1, Trigger: "verify",
		Tree: Tree{ID: hash([]byte("tree")), After: hash([]byte("tree")), Head: "1d2e", GitTree: "9ab3",
			Anomalies: []string{"info/exclude"}},
		Inputs:  Inputs{[]string{"services/api/**"}, hash([]byte("inputs"))},
		Env:     []Env{{"DATABASE_URL", "03d1", true}},
		Rules:   verdict.Rules{MinTests: 1},
		Tools:   Tools{Factgate: "0.1.0", Runner: "9.2.0", OS: "linux", Arch: "amd64"},
		Started: start.Add(time.Duration(n) * time.Second), Ended: start.Add(time.Duration(n)*time.Second + 2140*time.Millisecond),
		Chain: Chain{Name: "repo", Position: 1},
	}
	r.Run = facts.Run{Meaning: facts.Clean, Tree: facts.Tree{Before: "t", After: "t"}, Notes: []string{"PYTEST_ADDOPTS: -k was removed"}}
	r.Run.Results = facts.Results{Complete: true, Files: []facts.File{{Path: "a.probe", Format: "probe", SHA256: hash(nil)}}}
	setCases(&r, facts.Case{ID: "tests/test_a.py::test_a", Name: "test_a", Status: facts.Passed, Duration: time.Millisecond},
		facts.Case{ID: "tests/test_a.py::test_b", Name: "test_b", Status: facts.Skipped, Kind: "skip", Reason: "<no & db>"})
	for _, c := range change {
		c(&r)
	}
	return r
}

func setCases(r *Record, cases ...facts.Case) {
	r.Run.Results.Cases = cases
	r.Run.Results.Counts = facts.Count(cases)
}

// red makes it a run that ended by itself with a failing case.
func red(r *Record) {
	r.Run.Exit.Code, r.Run.Meaning = 1, facts.TestsFailed
	setCases(r, facts.Case{ID: "tests/test_a.py::test_a", Status: facts.Failed, Failures: []facts.Failure{{Message: "assert 1 == 2"}}})
}

func key(k string) func(*Record)   { return func(r *Record) { r.Key = k } }
func check(c string) func(*Record) { return func(r *Record) { r.Check = c } }
func chain(c string) func(*Record) { return func(r *Record) { r.Chain.Name = c } }
func reason(s string) func(*Record) {
	return func(r *Record) { r.Rerun = s }
}

func signed(t *testing.T, r Record) []byte {
	t.Helper()
	data, _, err := Sign(r, testKey())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := OpenStore(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func appendTo(t *testing.T, s *Store, r Record) Record {
	t.Helper()
	kept, err := s.Append(r)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// sound fails when the audit has anything to say.
func sound(t *testing.T, s *Store) {
	t.Helper()
	found, err := s.Audit()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("audit: %+v", f)
	}
}

func dead(int, string, string) bool  { return false }
func alive(int, string, string) bool { return true }

// TestMain plays the other processes that some tests need.
func TestMain(m *testing.M) {
	if dir := os.Getenv("RECORD_TEST_APPEND"); dir != "" {
		os.Exit(appender(dir))
	}
	os.Exit(m.Run())
}

// appender appends runs to a chain, telling each that was kept, until it is stopped or has done its number.
func appender(dir string) int {
	s, err := OpenStore(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	n := 1 << 30
	fmt.Sscan(os.Getenv("RECORD_TEST_NUMBER"), &n)
	for i := range n {
		r := sample(i)
		r.ID = NewID(time.Now())
		if _, err := s.Append(r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(r.ID)
	}
	return 0
}
