//go:build unix

package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (s *sandbox) link(target, path string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Dir(s.at(path)), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.Symlink(target, s.at(path)); err != nil {
		s.Fatal(err)
	}
}

// TestInputsFollowLinks: what a link among the inputs leads to is an input, wherever in the tree it lies.
func TestInputsFollowLinks(t *testing.T) {
	for _, c := range []struct {
		name, links string // PATH>TARGET, by spaces; @ is the root
		patterns    string
		edit        string // counts
		beside      string // does not count
	}{
		{"file", "py/calc.py>../shared/calc.py", "py/**", "shared/calc.py", "shared/other.py"},
		{"file by its name", "py/calc.py>../shared/calc.py", "py/calc.py", "shared/calc.py", "shared/other.py"},
		{"file by an ending", "py/calc.py>../shared/calc.py", "py/*.py", "shared/calc.py", "shared/other.py"},
		{"folder", "py/lib>../shared", "py/**", "shared/sub/deep.py", "apart/x.py"},
		{"folder that is to come", "py/lib>../new", "py/**", "new/x.py", "apart/x.py"},
		{"file that is to come", "py/lib>../apart/y.py", "py/**", "apart/y.py", "apart/x.py"},
		{"the inputs are a link", "py>shared", "py/**", "shared/calc.py", "apart/x.py"},
		{"the inputs lie behind a link", "py>shared", "py/calc.py", "shared/calc.py", "shared/other.py"},
		{"the inputs lie behind a link, folder", "py>shared", "py/sub/**", "shared/sub/deep.py", "shared/other.py"},
		{"chain", "py/a>../b b>c c>shared/calc.py", "py/**", "shared/calc.py", "shared/other.py"},
		{"link on the way", "py/a>../b/calc.py b>shared", "py/**", "shared/calc.py", "shared/other.py"},
		{"links below a folder", "py/a>../dir dir/b>../shared/sub", "py/**", "shared/sub/deep.py", "shared/other.py"},
		{"up behind a link", "py/a>../b/../calc.py b>shared/sub", "py/**", "shared/calc.py", "calc.py"},
		{"absolute", "py/a>@/shared/calc.py", "py/**", "shared/calc.py", "shared/other.py"},
		{"out and back", "py/a>../../root/shared/calc.py", "py/**", "shared/calc.py", "shared/other.py"},
		{"circle", "py/a>../b b>py/a py/c>../shared/calc.py py/self>self", "py/**", "shared/calc.py", "shared/other.py"},
		{"circle of folders", "py/up>.. shared/up>../py", "py/**", "apart/x.py", ""},
		{"outside", "py/a>../../elsewhere py/b>/dev/null", "py/**", "py/own.py", "shared/calc.py"},
		{"not among the inputs", "go/calc.py>../shared/calc.py", "py/**", "py/own.py", "shared/calc.py"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newRepo(t)
			for _, p := range []string{"shared/calc.py", "shared/other.py", "shared/sub/deep.py", "apart/x.py", "calc.py"} {
				s.write(p, "x")
			}
			for _, l := range strings.Fields(c.links) {
				path, target, _ := strings.Cut(l, ">")
				s.link(strings.Replace(target, "@", s.root, 1), path)
			}
			if !strings.HasPrefix(c.links, "py>") {
				s.write("py/own.py", "x")
			}
			patterns := strings.Fields(c.patterns)
			same := func(before, after *Tree) bool {
				was, un := before.Inputs(patterns)
				is, _ := after.Inputs(patterns)
				moved, _ := Compare(before, after, patterns, nil)
				if len(un) > 0 || (was == is) != (len(moved) == 0) {
					t.Errorf("unmatched %q, the same digest: %v, moved %q", un, was == is, moved)
				}
				return was == is
			}
			before := s.identify()
			if c.beside != "" {
				s.write(c.beside, "y")
				after := s.identify()
				if !same(before, after) {
					t.Errorf("%s counts", c.beside)
				}
				before = after
			}
			s.write(c.edit, "y")
			after := s.identify()
			if same(before, after) {
				t.Errorf("%s does not count", c.edit)
			}
			if !slices.Contains(after.Files(patterns), c.edit) {
				t.Errorf("%s is not among %q", c.edit, after.Files(patterns))
			}
		})
	}
}

// TestInputsFollowRules: a .gitignore can hide what a link leads to, and a link that is an output leads nowhere.
func TestInputsFollowRules(t *testing.T) {
	s := newRepo(t)
	s.write("shared/lib/a", "x")
	s.link("../shared/lib", "py/lib")
	before := s.identify()
	s.write("shared/.gitignore", "b\n")
	s.write("shared/lib/b", "x")
	for _, p := range []string{"py/**", "py/lib"} {
		if moved, _ := Compare(before, s.identify(), []string{p}, nil); !slices.Equal(moved, []string{"shared/.gitignore"}) {
			t.Errorf("%s: moved %q", p, moved)
		}
	}
	s.link("../shared", "py/out")
	s.write("shared/z", "x")
	before = s.identify()
	s.write("shared/z", "y")
	after := s.identify()
	inputs, outputs := []string{"py/**"}, []string{"py/out"}
	was, _ := before.Digest(inputs, outputs)
	is, _ := after.Digest(inputs, outputs)
	if moved, _ := Compare(before, after, inputs, outputs); was != is || moved != nil {
		t.Errorf("a link that is an output leads to %q", moved)
	}
}
