package worktree

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

func TestInputs(t *testing.T) {
	s := newRepo(t)
	for _, p := range []string{"api/a.py", "api/b/c.py", "api/b.py", "api-x/y.py", "lib/l.go", "top.txt"} {
		s.write(p, p)
	}
	before := s.identify()
	if d, un := before.Inputs(nil); d != before.ID || un != nil {
		t.Error("no patterns are not the whole tree")
	}
	for _, c := range []struct {
		patterns string // by spaces
		files    string
		un       string
	}{
		{"api/**", "api/a.py api/b.py api/b/c.py", ""},
		{"api", "api/a.py api/b.py api/b/c.py", ""},
		{"api/", "api/a.py api/b.py api/b/c.py", ""},
		{"./api/b", "api/b/c.py", ""},
		{"api/*", "api/a.py api/b.py", ""},
		{"*/b/", "api/b/c.py", ""},
		{"api/*/", "api/b/c.py", ""},
		{"**/*.py", "api-x/y.py api/a.py api/b.py api/b/c.py", ""},
		{"**/b/**", "api/b/c.py", ""},
		{"api/**/*.py", "api/a.py api/b.py api/b/c.py", ""},
		{"{api,lib}/*.{py,go}", "api/a.py api/b.py lib/l.go", ""},
		{"top.txt none.txt", "top.txt", ""},
		{"none/** top.txt **/*.rs", "top.txt", "none/** **/*.rs"},
		{".", "api-x/y.py api/a.py api/b.py api/b/c.py lib/l.go top.txt", ""},
		{"**", "api-x/y.py api/a.py api/b.py api/b/c.py lib/l.go top.txt", ""},
		{"[", "", "["},
	} {
		patterns := strings.Fields(c.patterns)
		_, un := before.Inputs(patterns)
		if got := strings.Join(before.Files(patterns), " "); got != c.files {
			t.Errorf("%s: files %q, want %q", c.patterns, got, c.files)
		}
		if got := strings.Join(un, " "); got != c.un {
			t.Errorf("%s: unmatched %q, want %q", c.patterns, got, c.un)
		}
	}
	digest := func(tree *Tree, patterns ...string) string { d, _ := tree.Inputs(patterns); return d }
	if digest(before, "lib/**", "api") != digest(before, "api", "lib/**", "api") {
		t.Error("order and repetition of patterns count")
	}
	if digest(before, "none") == digest(before, "none2") || digest(before, "none") == digest(before, "top.txt") {
		t.Error("absent paths look alike")
	}
	s.write("lib/l.go", "changed")
	s.write("none", "")
	after := s.identify()
	if digest(before, "api/**") != digest(after, "api/**") {
		t.Error("a change outside the inputs counts")
	}
	for _, p := range []string{"lib/**", "lib", "lib/l.go", "**/*.go", "none", "**", "lib/*"} {
		if digest(before, p) == digest(after, p) {
			t.Errorf("%s: a change within does not count", p)
		}
	}
}

// TestInputsRules: a .gitignore can hide a file from the inputs, so those that hold for them are part of them.
func TestInputsRules(t *testing.T) {
	s := newRepo(t)
	s.write("api/tests/test_a.py", "x")
	s.write("lib/a", "x")
	s.write(".env", "x")
	base := s.identify()
	for _, c := range []struct{ rules, same, differ string }{
		{".gitignore", ".env lib/a", "api/** api/tests/*.py api lib/* **/*.py"},
		{"api/.gitignore", ".env lib/a lib/**", "api/** api/tests/** **/*.py api"},
		{"api/tests/.gitignore", ".env lib/**", "api/** api/**/*.py api/tests"},
		{"lib/.gitignore", "api/** api .env lib/a", "lib lib/** **/*.py"},
	} {
		s.write(c.rules, ".gitignore\nconftest.py\n")
		hidden := "api/tests/conftest.py"
		if c.rules == "lib/.gitignore" {
			hidden = "lib/conftest.py"
		}
		s.write(hidden, "x")
		tree := s.identify()
		for _, p := range strings.Fields(c.same + " " + c.differ) {
			was, _ := base.Inputs([]string{p})
			is, _ := tree.Inputs([]string{p})
			if want := slices.Contains(strings.Fields(c.same), p); (was == is) != want {
				t.Errorf("%s added: %s is the same: %v, want %v", c.rules, p, was == is, want)
			}
			moved, _ := Compare(base, tree, []string{p}, []string{"**/conftest.py"})
			if (len(moved) == 0) != slices.Contains(strings.Fields(c.same), p) {
				t.Errorf("%s added: %s: moved %q", c.rules, p, moved)
			}
		}
		os.Remove(s.at(c.rules))
		os.Remove(s.at(hidden))
	}
}

func TestCompare(t *testing.T) {
	s := newRepo(t)
	for _, p := range []string{"keep", "edit", "gone", "mode", "rewritten", "replaced", "out/tracked", "out/untracked", "sub/in"} {
		s.write(p, "x")
	}
	s.git("add", "keep", "edit", "gone", "mode", "out/tracked")
	before := s.identify()
	s.write("edit", "y")
	os.Remove(s.at("gone"))
	os.Chmod(s.at("mode"), 0o755)
	s.write("rewritten", "y")
	s.write("rewritten", "x")
	s.write("new", "x")
	os.Remove(s.at("replaced"))
	s.write("spacer", "x") // so that the inode is not given out again
	s.write("replaced", "x")
	os.Remove(s.at("spacer"))
	s.write("out/tracked", "y")
	s.write("out/untracked", "y")
	s.write("out/__pycache__/x.pyc", "y")
	s.write("sub/in", "y")
	after := s.identify()
	for _, c := range []struct {
		inputs, outputs, moved, touched string
	}{
		{"", "", "edit gone mode new out/__pycache__/x.pyc out/tracked out/untracked sub/in", "replaced rewritten"},
		{"", "out/** re*", "edit gone mode new out/tracked sub/in", ""},
		{"", "**/__pycache__/**", "edit gone mode new out/tracked out/untracked sub/in", "replaced rewritten"},
		{"sub/**", "", "sub/in", ""},
		{"sub keep new", "", "new sub/in", ""},
		{"keep", "", "", ""},
		{"**/in", "sub", "", ""},
	} {
		moved, touched := Compare(before, after, strings.Fields(c.inputs), strings.Fields(c.outputs))
		if m, to := strings.Join(moved, " "), strings.Join(touched, " "); m != c.moved || to != c.touched {
			t.Errorf("inputs %q, outputs %q: moved %q touched %q, want %q %q", c.inputs, c.outputs, m, to, c.moved, c.touched)
		}
	}
	if moved, touched := Compare(after, after, nil, nil); moved != nil || touched != nil {
		t.Error("a tree differs from itself")
	}
	// What was tracked on either side counts, though it is an output.
	s.git("rm", "-q", "-f", "--cached", "out/tracked")
	s.write("out/tracked", "z")
	if moved, _ := Compare(after, s.identify(), nil, []string{"out"}); !slices.Equal(moved, []string{"out/tracked"}) {
		t.Errorf("no longer tracked: moved %q", moved)
	}
}

// TestDigest: untracked outputs do not end a proof, tracked ones do.
func TestDigest(t *testing.T) {
	s := newRepo(t)
	s.write("a", "x")
	s.write("out/tracked", "x")
	s.git("add", ".")
	digest := func(inputs, outputs string) string {
		d, _ := s.identify().Digest(strings.Fields(inputs), strings.Fields(outputs))
		return d
	}
	whole, part, plain := digest("", "out/**"), digest("out a", "out/**"), digest("out a", "")
	s.write("out/new", "x")
	if digest("", "out/**") != whole || digest("out a", "out/**") != part {
		t.Error("an untracked output counts")
	}
	if digest("out a", "") == plain {
		t.Error("without outputs it does not count")
	}
	s.write("out/tracked", "y")
	if digest("", "out/**") == whole || digest("out a", "out/**") == part {
		t.Error("a tracked output does not count")
	}
	if d, _ := s.identify().Digest(nil, nil); d != s.identify().ID {
		t.Error("nothing given is not the ID")
	}
}

// TestPatternShortcuts holds every shortcut of a pattern, and the range it searches, against plain doublestar.
func TestPatternShortcuts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "a.go", "b.go", "ab", "a-b", ".go", "x*"}
	bits := []string{"a", "b", "*", "**", "*.go", "?", "a*", "{a,b}", "[ab]", "a.go", "*b", `x\*`}
	var found []string
	for range 400 {
		path := names[r.IntN(len(names))]
		for r.IntN(3) > 0 {
			path = names[r.IntN(3)] + "/" + path
		}
		found = append(found, path)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	tree := &Tree{memo: map[string]*selection{}, sums: map[string]string{}, masks: map[string][]bool{}}
	for _, p := range found {
		// A path cannot be a file and a folder.
		if !slices.ContainsFunc(found, func(q string) bool { return strings.HasPrefix(q, p+"/") }) {
			tree.Entries = append(tree.Entries, Entry{Path: p})
		}
	}
	for range 3000 {
		text := bits[r.IntN(len(bits))]
		for r.IntN(3) > 0 {
			text += "/" + bits[r.IntN(len(bits))]
		}
		var want []string
		_, plain := unescape(text)
		for _, e := range tree.Entries {
			if ok, err := doublestar.Match(text, e.Path); err != nil {
				t.Fatal(err)
			} else if under, _ := doublestar.Match(text+"/**", e.Path); ok || plain && under {
				want = append(want, e.Path)
			}
		}
		if got := tree.Files([]string{text}); !slices.Equal(got, want) {
			t.Fatalf("%s: %q, want %q", text, got, want)
		}
		p := newPattern(text)
		for _, w := range want {
			for dir := folderOf(w); dir != ""; dir = folderOf(dir[:len(dir)-1]) {
				if !p.reach(dir[:len(dir)-1]) {
					t.Fatalf("%s does not reach %q on the way to %q", text, dir, w)
				}
			}
		}
	}
}
