package parsers

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gotest.tools/gotestsum/testjson"

	"factgate/bench/madeup"
	"factgate/facts"
)

// tallied is how often one test was met with each status. What we call errored or unknown, gotestsum calls failed.
type tallied struct{ passed, failed, skipped int }

func (n tallied) all() int { return n.passed + n.failed + n.skipped }

func (n tallied) within(o tallied) bool {
	return n.passed <= o.passed && n.failed <= o.failed && n.skipped <= o.skipped
}

// goTestKey names a test; test is empty for the package itself, which counts as one that passed or failed.
type goTestKey struct{ pkg, test string }

// two are the readings of one stream.
type two struct {
	ours, theirs map[goTestKey]tallied
	started      int             // packages, as we count them
	lost         map[string]bool // packages without a closing event
	children     map[goTestKey][]goTestKey
}

// readTwice reads a stream with our reader and with gotestsum's.
func readTwice(t *testing.T, b []byte) two {
	t.Helper()
	w := two{ours: map[goTestKey]tallied{}, theirs: map[goTestKey]tallied{}, lost: map[string]bool{}, children: map[goTestKey][]goTestKey{}}
	g := newGoStream(standard())
	if err := g.read(bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	for name := range g.packages {
		w.lost[name] = true
	}
	r := g.end()
	w.started = g.started
	for _, c := range r.Cases {
		k := goTestKey{c.Suite, c.Name}
		n := w.ours[k]
		switch c.Status {
		case facts.Passed:
			n.passed++
		case facts.Skipped:
			n.skipped++
		default:
			n.failed++
			w.ours[goTestKey{pkg: c.Suite}] = tallied{failed: 1}
		}
		w.ours[k] = n
	}
	for _, o := range r.Outside {
		w.ours[goTestKey{pkg: o.Where}] = tallied{failed: 1}
	}
	e, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: bytes.NewReader(b)})
	if err != nil {
		t.Fatalf("gotestsum cannot read it: %v", err)
	}
	for _, name := range e.Packages() {
		p := e.Package(name)
		count := func(list []testjson.TestCase, add func(*tallied)) {
			for _, c := range list {
				k := goTestKey{name, c.Test.Name()}
				n := w.theirs[k]
				add(&n)
				w.theirs[k] = n
			}
		}
		count(p.Passed, func(n *tallied) { n.passed++ })
		count(p.Failed, func(n *tallied) { n.failed++ })
		count(p.Skipped, func(n *tallied) { n.skipped++ })
		if p.Result() == testjson.ActionFail {
			w.theirs[goTestKey{pkg: name}] = tallied{failed: 1}
		}
	}
	for k := range w.theirs {
		for i, c := range k.test {
			if up := (goTestKey{k.pkg, k.test[:i]}); c == '/' && w.theirs[up] != (tallied{}) {
				w.children[up] = append(w.children[up], k)
			}
		}
	}
	if n := len(e.Packages()); n != w.started && (n != w.started+1 || e.Package("") == nil) {
		t.Errorf("%d packages, gotestsum counts %d", w.started, n)
	}
	return w
}

// class names why the two readings of one test may differ, "" when nothing explains it. gotestsumClasses says why.
func (w two) class(k goTestKey) string {
	ours, theirs := w.ours[k], w.theirs[k]
	failing := slices.ContainsFunc(w.children[k], func(c goTestKey) bool { return w.ours[c].failed > 0 })
	switch {
	case k.test == "" && w.lost[k.pkg] && ours.failed > 0:
		return withoutEnd
	case k.test == "" && ours.failed > 0 && w.failedIn(k.pkg):
		return passedFailed
	case k.test == "":
	case len(w.children[k]) > 0 && ours.within(theirs) && (theirs.failed == ours.failed || failing):
		return parentTest
	case strings.HasPrefix(k.test, "Benchmark") && ours == (tallied{}) && theirs == (tallied{failed: theirs.failed}):
		return benchmarkRun
	case w.lost[k.pkg] && ours.all() == theirs.all() && ours.failed > theirs.failed:
		return withoutLine
	}
	return ""
}

// failedIn reports whether gotestsum knows of a failed test in a package.
func (w two) failedIn(pkg string) bool {
	for k, n := range w.theirs {
		if k.pkg == pkg && k.test != "" && n.failed > 0 {
			return true
		}
	}
	return false
}

// TestAgainstGotestsum holds our counts against those of an independent reader, test by test.
func TestAgainstGotestsum(t *testing.T) {
	streams := map[string][]byte{}
	for _, c := range captures(t) {
		if c.format == "gotestjson" {
			streams[c.name] = c.bytes
		}
	}
	for seed := range uint64(12) {
		var b bytes.Buffer
		if _, err := madeup.GoTest(&b, seed, 3000); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("made up with seed %d", seed)
		streams[name] = b.Bytes()
		half := bytes.LastIndexByte(b.Bytes()[:b.Len()/2], '\n') + 1
		streams[name+", cut"] = b.Bytes()[:half]
	}
	times, equal := map[string]int{}, 0
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		w := readTwice(t, streams[name])
		keys := maps.Clone(w.ours)
		maps.Copy(keys, w.theirs)
		for k := range keys {
			if w.ours[k] == w.theirs[k] {
				equal++
				continue
			}
			class := w.class(k)
			if class == "" {
				t.Errorf("%s: %+v: %+v, gotestsum counts %+v", name, k, w.ours[k], w.theirs[k])
			}
			times[class]++
		}
	}
	for _, class := range slices.Sorted(maps.Keys(times)) {
		t.Logf("%-40s %6d", class, times[class])
	}
	t.Logf("%-40s %6d", "equal", equal)
	for _, c := range gotestsumClasses() {
		if times[c.class] == 0 {
			t.Errorf("no stream shows the class %q any more: drop it", c.class)
		}
	}
	if equal < 5000 {
		t.Errorf("only %d tests and packages were compared", equal)
	}
}
