package worktree

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample is a committed repository with a bit of everything.
func sample(t *testing.T) *sandbox {
	s := newRepo(t)
	s.write("a.go", "package a\n")
	s.write("run.sh", "#!/bin/sh\n")
	s.write("tests/test_a.py", "def test(): pass\n")
	s.write("tests/unit/test_b.py", "def test(): pass\n")
	s.write(".gitignore", "*.log\nbuild/\n")
	s.write("build/out", "x")
	s.write("noise.log", "x")
	if err := os.Symlink("a.go", s.at("link")); err != nil {
		t.Fatal(err)
	}
	s.commit()
	return s
}

// TestKeepsID: what leaves the bytes alone keeps the identity.
func TestKeepsID(t *testing.T) {
	s := sample(t)
	s.write("a.go", "package b\n")
	s.write("new.go", "package b\n")
	want := s.identify()
	if !want.Dirty || want.Head == "" {
		t.Errorf("before: Dirty %v, Head %q", want.Dirty, want.Head)
	}
	same := func(what string, tree *Tree) {
		t.Helper()
		if tree.ID != want.ID {
			t.Errorf("%s: the ID changed", what)
		}
	}
	same("again", s.identify())
	s.git("add", "-A")
	same("stage", s.identify())
	s.git("commit", "-q", "-m", "y")
	same("commit", s.identify())
	s.git("commit", "-q", "--amend", "-m", "z")
	same("amend", s.identify())
	s.git("gc", "-q")
	same("gc", s.identify())
	s.write("build/more", "ignored")
	s.write("tests/more.log", "ignored")
	same("ignored files", s.identify())
	if err := os.Mkdir(s.at("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	same("empty folder", s.identify())
	now := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.at("a.go"), now, now); err != nil {
		t.Fatal(err)
	}
	same("touch", s.identify())
	if err := os.Chmod(s.at("a.go"), 0o600); err != nil {
		t.Fatal(err)
	}
	same("a mode bit that git does not keep", s.identify())
	clone := filepath.Join(filepath.Dir(s.root), "clone")
	s.git("clone", "-q", s.root, clone)
	same("clone", s.identifyIn(clone))
	linked := filepath.Join(filepath.Dir(s.root), "linked")
	s.git("worktree", "add", "-q", linked)
	same("worktree", s.identifyIn(linked))
	s.git("checkout", "-q", "--detach")
	same("detached", s.identify())
	if err := os.RemoveAll(s.at(".git")); err != nil {
		t.Fatal(err)
	}
	same("without git", s.identify())
}

// TestChangesID: each of these must end a proof, also when the stat cache is warm and git sees nothing.
func TestChangesID(t *testing.T) {
	write := func(path, text string) func(*sandbox) { return func(s *sandbox) { s.write(path, text) } }
	for name, change := range map[string]func(*sandbox){
		"one byte":             write("a.go", "package c\n"),
		"one byte more":        write("a.go", "package a\n\n"),
		"empty file":           write("new.go", ""),
		"untracked file":       write("tests/conftest.py", "x"),
		"a tracked file's end": func(s *sandbox) { os.Remove(s.at("a.go")) },
		"rename":               func(s *sandbox) { os.Rename(s.at("a.go"), s.at("b.go")) },
		"mode bit":             func(s *sandbox) { os.Chmod(s.at("run.sh"), 0o755) },
		"mode bit, core.fileMode=false": func(s *sandbox) {
			s.git("config", "core.fileMode", "false")
			os.Chmod(s.at("run.sh"), 0o755)
		},
		"link target": func(s *sandbox) {
			os.Remove(s.at("link"))
			os.Symlink("run.sh", s.at("link"))
		},
		"link becomes its file": func(s *sandbox) {
			os.Remove(s.at("link"))
			s.write("link", "package a\n")
		},
		"link becomes a file that holds its target": func(s *sandbox) {
			os.Remove(s.at("link"))
			s.write("link", "a.go")
		},
		"same size, time set back": func(s *sandbox) {
			info, _ := os.Stat(s.at("a.go"))
			s.write("a.go", "package z\n")
			os.Chtimes(s.at("a.go"), info.ModTime(), info.ModTime())
		},
		"same size, time set back, git told to believe": func(s *sandbox) {
			s.git("config", "core.checkStat", "minimal")
			s.git("config", "core.trustctime", "false")
			info, _ := os.Stat(s.at("a.go"))
			s.write("a.go", "package z\n")
			os.Chtimes(s.at("a.go"), info.ModTime(), info.ModTime())
		},
		"assume-unchanged": func(s *sandbox) {
			s.git("update-index", "--assume-unchanged", "a.go")
			s.write("a.go", "package z\n")
		},
		"skip-worktree": func(s *sandbox) {
			s.git("update-index", "--skip-worktree", "a.go")
			s.write("a.go", "package z\n")
		},
		"hidden by info/exclude": func(s *sandbox) {
			s.write(".git/info/exclude", "conftest.py\n")
			s.write("tests/conftest.py", "x")
		},
		"hidden by core.excludesFile": func(s *sandbox) {
			s.write("../home/ignore", "conftest.py\n")
			s.git("config", "core.excludesFile", s.at("../home/ignore"))
			s.write("tests/conftest.py", "x")
		},
		"a .gitignore that ignores itself and a file": func(s *sandbox) {
			s.write("tests/.gitignore", ".gitignore\nconftest.py\n")
			s.write("tests/conftest.py", "x")
		},
		"a .gitignore that ignores all": write("tests/.gitignore", "*\n"),
		"a tracked file under new rules": func(s *sandbox) {
			s.write("tests/.gitignore", "*\n")
			s.write("tests/test_a.py", "y")
		},
		"an ignored .gitignore above a file that was tracked": func(s *sandbox) {
			s.git("rm", "-q", "--cached", "a.go")
			s.write(".gitignore", "*.log\nbuild/\na.go\n")
		},
		"lying monitor": func(s *sandbox) {
			s.write("../home/monitor", "#!/bin/sh\ntouch "+s.at("../home/asked")+"\nprintf 'x\\0'\n")
			os.Chmod(s.at("../home/monitor"), 0o755)
			s.git("config", "core.fsmonitor", s.at("../home/monitor"))
			s.write("a.go", "package z\n")
		},
		"nested repository": func(s *sandbox) {
			s.write("sub/x", "x")
			s.git("init", "-q", "sub")
		},
		"a name that is not UTF-8": write("tests/\xff\xfe\n.py", "x"),
	} {
		t.Run(name, func(t *testing.T) {
			s := sample(t)
			cache := func(o *Options) { later(o); o.Cache = s.at("../cache") }
			before := s.identify(cache)
			if again := s.identify(cache); again.ID != before.ID {
				t.Fatal("the cache changes the ID")
			}
			change(s)
			after := s.identify(cache)
			if after.ID == before.ID {
				t.Error("the ID is the same")
			}
			if plain := s.identify(); plain.ID != after.ID {
				t.Error("without cache the ID is another")
			}
			if moved, _ := Compare(before, after, nil, nil); len(moved) == 0 {
				t.Error("Compare saw nothing move")
			}
			if _, err := os.Stat(s.at("../home/asked")); err == nil {
				t.Error("the monitor was started")
			}
		})
	}
}

// slowID computes the identity with git's own idea of what is ignored, and no shortcut.
func slowID(s *sandbox) string {
	s.Helper()
	listed := strings.Split(s.git("ls-files", "-z", "-c", "-o", "--exclude-per-directory=.gitignore"), "\x00")
	// git leaves out a .gitignore that ignores itself; it counts where git reads it: in a folder that is not ignored.
	ignored := map[string]bool{}
	for _, dir := range strings.Split(s.git("ls-files", "-z", "-o", "-i", "--directory", "--exclude-per-directory=.gitignore"), "\x00") {
		ignored[dir] = true
	}
	filepath.WalkDir(s.root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			s.Fatal(err)
		}
		rel, _ := filepath.Rel(s.root, path)
		switch {
		case d.IsDir() && (d.Name() == ".git" || ignored[rel+"/"]):
			return filepath.SkipDir
		case d.Name() == ".gitignore" && d.Type().IsRegular():
			listed = append(listed, rel)
		}
		return nil
	})
	slices.Sort(listed)
	h := sha256.New()
	h.Write([]byte("factgate tree 1\n"))
	for _, path := range slices.Compact(listed) {
		info, err := os.Lstat(s.at(path))
		if path == "" || err != nil || info.IsDir() {
			continue
		}
		kind, exec, data := byte('f'), byte(0), []byte(nil)
		if info.Mode()&os.ModeSymlink != 0 {
			kind = 'l'
			target, _ := os.Readlink(s.at(path))
			data = []byte(target)
		} else {
			data, _ = os.ReadFile(s.at(path))
			if info.Mode()&0o100 != 0 {
				exec = 1
			}
		}
		digest := sha256.Sum256(data)
		n := len(path)
		for ; n >= 0x80; n >>= 7 {
			h.Write([]byte{byte(n) | 0x80})
		}
		h.Write([]byte{byte(n)})
		h.Write([]byte(path))
		h.Write([]byte{kind, exec})
		h.Write(digest[:])
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// TestRandomEdits holds the identity, with a warm cache, against a slow one after each of many random changes.
func TestRandomEdits(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			s := newRepo(t)
			name := func() string {
				parts := []string{"a", "b", "a.b", "a0", "c.log", "build", "ü", "x y"}
				path := parts[r.IntN(len(parts))]
				for r.IntN(3) > 0 && len(path) < 20 {
					path = []string{"d", "e", "d.e", "build", "f/"}[r.IntN(5)] + "/" + path
				}
				return path
			}
			for step := range 50 {
				path := name()
				switch r.IntN(12) {
				case 0:
					os.RemoveAll(s.at(path))
				case 1:
					os.Rename(s.at(path), s.at(name()))
				case 2:
					os.Chmod(s.at(path), []os.FileMode{0o755, 0o644}[r.IntN(2)])
				case 3:
					os.Symlink(name(), s.at(path))
				case 4:
					s.git("add", "-A")
				case 5:
					s.git("commit", "-q", "--allow-empty", "-m", "x")
				case 6:
					dir := filepath.Dir(path)
					if info, err := os.Lstat(s.at(dir)); err == nil && info.IsDir() {
						lines := []string{"*.log", "build/", "!c.log", "/a", "d/**", "e", ".gitignore", "*", "!*/", "!b", "d/*.b"}
						text := ""
						for range r.IntN(3) {
							text += lines[r.IntN(len(lines))] + "\n"
						}
						os.WriteFile(s.at(dir+"/.gitignore"), []byte(text), 0o644)
					}
				case 7:
					s.git("add", "-f", ".")
				case 8:
					if r.IntN(4) == 0 {
						s.git("rm", "-r", "-q", "--cached", "--ignore-unmatch", ".")
					}
				default:
					if os.MkdirAll(filepath.Dir(s.at(path)), 0o755) == nil {
						os.WriteFile(s.at(path), []byte(fmt.Sprint(r.IntN(3))), 0o644)
					}
				}
				got := s.identify(func(o *Options) { later(o); o.Cache = s.at("../cache") })
				if got.ID != slowID(s) {
					for _, e := range got.Entries {
						t.Logf("%c %q", e.Type, e.Path)
					}
					t.Fatalf("seed %d, step %d: the ID differs from the slow one's; git lists\n%s", seed, step,
						s.git("ls-files", "-c", "-o", "--exclude-per-directory=.gitignore"))
				}
			}
		})
	}
}
