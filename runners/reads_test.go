package runners

import (
	"reflect"
	"strings"
	"testing"
)

// What a runner reads from the caller's environment, less what is taken out of it, is part of what its outcome depends on.
func TestReadsEnterTheKey(t *testing.T) {
	set := builtinSet(t)
	reads := func(runner string, env ...string) map[string]string {
		m := machine()
		m.Env = append(m.Env, env...)
		p, err := set.Plan(check(runner), m)
		if err != nil {
			t.Fatal(err)
		}
		return p.Material().Reads
	}
	for name, c := range map[string]struct{ plain, scrubbed, other string }{
		"pytest":       {"PYTHONPATH=/l1", "PYTEST_ADDOPTS=-k foo", "PYTHONPATH=/l2"},
		"go":           {"GOFLAGS=-tags=foo", "GOFLAGS=-run=Foo", "GOFLAGS=-tags=bar"},
		"cargo":        {"RUSTFLAGS=--cfg foo", "RUSTDOCFLAGS=--no-run", "RUSTFLAGS=--cfg bar"},
		"cargo config": {"CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS=--cfg foo", "RUSTDOCFLAGS=--no-run", "RUSTC_WRAPPER=/w"},
		"jest":         {"NODE_OPTIONS=--max-old-space-size=99", "NODE_TEST_CONTEXT=child", "NODE_OPTIONS=--max-old-space-size=98"},
	} {
		runner, _, _ := strings.Cut(name, " ")
		none := reads(runner)
		if got := reads(runner, c.plain); reflect.DeepEqual(got, none) {
			t.Errorf("%s: %s changes nothing", runner, c.plain)
		} else if reflect.DeepEqual(got, reads(runner, c.other)) {
			t.Errorf("%s: %s is like %s", runner, c.plain, c.other)
		}
		if got := reads(runner, c.scrubbed); !reflect.DeepEqual(got, none) {
			t.Errorf("%s: %s is taken out, and counts: %v", runner, c.scrubbed, got)
		}
	}
}
