package check

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"factgate/facts"
	"factgate/runners"
)

// Absolute paths below the check's dir become relative to it, under either of its names; others stay.
func TestNear(t *testing.T) {
	real := filepath.Join(t.TempDir(), "real é")
	link := filepath.Join(filepath.Dir(real), "link")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	at := func(dir, name string) string { return filepath.Join(dir, name) }
	r := facts.Results{
		Cases: []facts.Case{
			{ID: at(real, "a.test.js") + " › one", File: at(real, "a.test.js"), Failures: []facts.Failure{{File: at(link, "lib/b.js")}, {File: "/elsewhere/c.js"}}},
			{ID: "a::b", File: "a.py"},
			{ID: at(real+"-too", "a") + " › x", File: at(real+"-too", "a")},
			{ID: "no file"},
		},
		Outside:  []facts.Outside{{Where: at(link, "b.test.js"), File: at(real, "b.test.js")}, {Where: "jest"}},
		Problems: []facts.Problem{{Detail: `more than one case is called "` + at(real, "a.test.js") + ` › one"`}},
	}
	near(&r, filepath.Dir(link), link)
	var got []string
	for _, c := range r.Cases {
		got = append(got, c.ID, c.File)
	}
	want := []string{"a.test.js › one", "a.test.js", "a::b", "a.py", "../" + filepath.Base(real) + "-too/a › x", "../" + filepath.Base(real) + "-too/a", "no file", ""}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if f := r.Cases[0].Failures; f[0].File != "lib/b.js" || f[1].File != "/elsewhere/c.js" {
		t.Errorf("%+v", f)
	}
	if o := r.Outside; o[0].Where != "b.test.js" || o[0].File != "b.test.js" || o[1].Where != "jest" {
		t.Errorf("%+v", o)
	}
	if d := r.Problems[0].Detail; d != `more than one case is called "a.test.js › one"` {
		t.Error(d)
	}
}

func TestWithoutRoot(t *testing.T) {
	for text, want := range map[string]string{
		"at f (/w/web/a.js:1:2)":   "at f (web/a.js:1:2)",
		"/w/a.js and /w/b.js":      "a.js and b.js",
		"/x/w/a.js /w-2/a.js é/w/": "/x/w/a.js /w-2/a.js é/w/",
		"":                         "",
	} {
		if got := without(text, "/w/"); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What a stream attached is read only as the bytes that it named.
func TestAttachmentChanged(t *testing.T) {
	set, problems := runners.New(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	const results = `{"testResults":[]}`
	for sum, changed := range map[string]bool{"": false, "b9c8ee29ce01c0b7b3d4b4aa2a1c8c1b": true, hexSum(results): false} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "j.json"), results)
		write(t, filepath.Join(dir, "j.probe"), `{"e":"start","v":1,"runner":"jest","pid":1,"argv":[],"dir":"/"}`+"\n"+
			`{"e":"results","format":"jestjson","file":"j.json","sha256":"`+sum+`"}`+"\n")
		_, got := readProbe(set, runners.Plan{Runner: "jest", Dir: dir}, dir, dir, "j.probe")
		found := slices.ContainsFunc(got.Problems, func(p facts.Problem) bool { return p.Code == "changed" && p.Weight == facts.Incomplete })
		if found != changed || len(got.Files) != 2 {
			t.Errorf("%q: %v %v", sum, got.Problems, got.Files)
		}
	}
}

// Where no runner reported itself, the variable is named that carries the probe and that scripts like to set.
func TestDroppedProbe(t *testing.T) {
	set, problems := runners.New(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := readProbes(set, runners.Plan{Runner: "jest"}, t.TempDir(), t.TempDir())
	if len(got.Problems) != 1 || !strings.HasSuffix(got.Problems[0].Detail, "(whoever sets NODE_OPTIONS must keep what is in it)") {
		t.Errorf("%+v", got.Problems)
	}
	if text := carriers(set, runners.Plan{Runner: "go"}); text != "" {
		t.Error(text)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Ant's aggregate counts only where its parts are not there, and what it has beyond them contradicts them.
func TestRepeats(t *testing.T) {
	names := []string{"a/TEST-x.xml", "a/TESTS-TestSuites.xml", "b/TESTS-TestSuites.xml", "c/TEST-y.xml", "TESTS-TestSuites.xml"}
	count, repeats := Apart(names)
	if len(repeats) != 1 || repeats[0].Name != "a/TESTS-TestSuites.xml" || !slices.Equal(count, []string{names[0], names[2], names[3], names[4]}) {
		t.Fatalf("%v %v", count, repeats)
	}
	r := repeats[0]
	r.Part("a/TEST-x.xml", facts.Counts{Cases: 2, Passed: 1, Failed: 1})
	r.Part("c/TEST-y.xml", facts.Counts{Cases: 9, Passed: 9})
	for _, c := range []struct {
		whole facts.Counts
		code  string
	}{
		{facts.Counts{Cases: 2, Passed: 1, Failed: 1}, "aggregate"},
		{facts.Counts{Cases: 1, Passed: 1}, "aggregate"},
		{facts.Counts{Cases: 3, Passed: 2, Failed: 1}, "aggregate_above_parts"},
		{facts.Counts{Cases: 2, Failed: 1, Errored: 1}, "aggregate_above_parts"},
		{facts.Counts{Cases: 2, Failed: 1, Unknown: 1}, "aggregate_above_parts"},
	} {
		got := r.Leave(facts.Results{Counts: c.whole, Cases: []facts.Case{{ID: "a"}}, Complete: true})
		if p := got.Problems[0]; p.Code != c.code || p.Weight.Blocking() != (c.code != "aggregate") || len(got.Cases) > 0 || got.Counts.Cases > 0 || !got.Complete {
			t.Errorf("%+v: %+v", c.whole, got)
		}
	}
}
