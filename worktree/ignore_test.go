package worktree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestIgnoreLikeGit holds our reading of .gitignore files against git's over generated rules and trees.
func TestIgnoreLikeGit(t *testing.T) {
	bits := []string{"a", "b", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[^b]", "[a-c]", `\*`, `\a`, " ", `\ `, ".", ".o", "!", "#",
		"[[:alpha:]]", "[[:punct:]]", "[]a]", "[a", "]", `\`, "**/", "/**", "*.o", "[[:nope:]]", "[a-]", "[-b]", `[\]]`, "-", "ü", "\r", "\t"}
	names := []string{"a", "b", "ab", "abc", "a.o", ".o", "*", "a b", " ", "#", "!a", "[a", "]", "-", "ü", "a\r", "a ", `a\`, "**"}
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	s := newRepo(t)
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		var made []string
		for range 60 {
			path := names[r.IntN(len(names))]
			for r.IntN(3) > 0 {
				path = names[r.IntN(7)] + "/" + path
			}
			if os.MkdirAll(s.at(folderOf(path)), 0o755) == nil && os.WriteFile(s.at(path), nil, 0o644) == nil {
				made = append(made, path)
			}
		}
		var rules strings.Builder
		for _, at := range []string{"", folderOf(made[r.IntN(len(made))]), folderOf(made[r.IntN(len(made))])} {
			var text strings.Builder
			if r.IntN(5) == 0 {
				text.WriteString("\xef\xbb\xbf")
			}
			for range 1 + r.IntN(6) {
				for range 1 + r.IntN(5) {
					text.WriteString(bits[r.IntN(len(bits))])
				}
				text.WriteString([]string{"\n", "\n", "\n", "\r\n", "/\n", " \n"}[r.IntN(6)])
			}
			if err := os.WriteFile(s.at(at+ignoreFile), []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&rules, "%q: %q\n", at+ignoreFile, text.String())
		}
		want := strings.Split(strings.TrimSuffix(s.git("ls-files", "-z", "-o", "--exclude-per-directory=.gitignore"), "\x00"), "\x00")
		want = slices.DeleteFunc(want, func(p string) bool { return p == "" || strings.HasSuffix(p, ignoreFile) })
		var got []string
		for _, e := range s.identify().Entries {
			if _, name := split(e.Path); name != ignoreFile {
				got = append(got, e.Path)
			}
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			for _, p := range want {
				if !slices.Contains(got, p) {
					t.Errorf("seed %d: %q is ignored, not by git", seed, p)
				}
			}
			for _, p := range got {
				if !slices.Contains(want, p) {
					t.Errorf("seed %d: %q is ignored by git only", seed, p)
				}
			}
			t.Fatalf("rules\n%s", rules.String())
		}
		entries, err := os.ReadDir(s.root)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != ".git" {
				os.RemoveAll(s.at(e.Name()))
			}
		}
	}
}

// TestRulesLikeGit tries single rules, each in a folder of its own, on the same names.
func TestRulesLikeGit(t *testing.T) {
	s := newRepo(t)
	rules := []string{
		"a**/b", "a**", "**a", "/a**/b", "x/**/b", "**/b/", "b/", "/b/", "x/b/", "/", "//", "!", "//b", "b//", "x//b", "*", "*/", "/*", "/*/",
		"**", "/**", "**/", "x/**", "x/**/", "**/x/**", "x/*", "x/*/", "x/*/b", "*/b", "?/b", "x?b", "x[/]b", "x[!a]b", "[-b]", "[b-]", "[!-b]",
		"*\n!b", "b\n!b", "!b\nb", "x/\n!x/b", "x/*\n!x/b", "*\n!*/\n!b", "*\n!/x\n!/x/y\n!/x/y/b", "x\n!x/y", `\b`, `b\`, `\!b`, `\#b`, "#b", "b ", `b\ `, "b\t",
		"[[:cntrl:]]", "[[:space:]]", "[[:xdigit:]]", "[[:upper:]b]", "[[:alpha:][:digit:]]", "[[:b]", "[[:", "[b", "[]b]", "[!]b]", "[b-a]", `[\b]`, `[a-\c]`, `[\`, "b\x00c",
		"\xef\xbb\xbfb", "b\r", "\r", "*b*", "*b?", "a*b*c", "ax*/**/b", "***/b", "x/***/b", "x**/b", "x/**b", "**/**/b", "B",
	}
	names := []string{"b", "x/b", "x/y/b", "axx/y/b", "axx/b", "ax/b", "xb", "x-b", "x/y/z", "y/bb", "q", "-", "!b", "#b", "b c", "b\t", "\x7f", "\v", "\r", "B", "]", "[", `\`, "axxbxc", "b\r", "abc/x"}
	for i, rule := range rules {
		dir := fmt.Sprintf("d%d/", i)
		for _, name := range names {
			s.write(dir+name, "")
			if !strings.Contains(name, "/") {
				s.write(dir+"f/"+name+"/leaf", "") // and as a folder
			}
		}
		s.write(dir+ignoreFile, rule)
	}
	var got []string
	for _, e := range s.identify().Entries {
		if !e.Ignored {
			got = append(got, e.Path)
		}
	}
	want := strings.Split(strings.TrimSuffix(s.git("ls-files", "-z", "-o", "--exclude-per-directory=.gitignore"), "\x00"), "\x00")
	slices.Sort(want)
	rule := func(path string) string {
		var i int
		fmt.Sscanf(path, "d%d/", &i)
		return rules[i]
	}
	for _, p := range want {
		if _, found := slices.BinarySearch(got, p); !found {
			t.Errorf("%q ignores %q, not by git", rule(p), p)
		}
	}
	for _, p := range got {
		if _, found := slices.BinarySearch(want, p); !found {
			t.Errorf("%q ignores %q by git only", rule(p), p)
		}
	}
	if len(want) < 1000 {
		t.Errorf("only %d paths were compared", len(want))
	}
}

// FuzzIgnore: no pattern panics, and a pattern without a wildcard matches exactly itself.
func FuzzIgnore(f *testing.F) {
	f.Add("**/a*[b-]c\\", "x/abc")
	f.Add("a/**/b", "a/b")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 64 || len(path) > 64 {
			return
		}
		r := parseRules("", []byte(pattern))
		_, name := split(path)
		(&frame{rules: r}).ignored(path, name, false)
		if !strings.ContainsAny(pattern, `*?[\`) && wildmatch(pattern, path, true) != (pattern == path) {
			t.Errorf("wildmatch(%q, %q)", pattern, path)
		}
	})
}
