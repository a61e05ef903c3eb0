package worktree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func paths(t *Tree) []string {
	var found []string
	for _, e := range t.Entries {
		found = append(found, e.Path)
	}
	return found
}

func wantPaths(t *testing.T, tree *Tree, want ...string) {
	t.Helper()
	if got := paths(tree); !slices.Equal(got, want) {
		t.Errorf("entries %q, want %q", got, want)
	}
}

// TestWithoutGit: a folder without git is a tree too, and git is not needed for it.
func TestWithoutGit(t *testing.T) {
	s := newSandbox(t)
	s.write("a", "x")
	s.write(".gitignore", "b\n")
	s.write("b", "x")
	tree := s.identify(func(o *Options) { o.Git = nil })
	wantPaths(t, tree, ".gitignore", "a")
	if tree.Head != "" || tree.Dirty {
		t.Errorf("Head %q, Dirty %v", tree.Head, tree.Dirty)
	}
}

// TestGitFails: where git is there and cannot answer whole, there is no identity, least of all one without files.
func TestGitFails(t *testing.T) {
	s := sample(t)
	fail := map[string]Git{
		"no program given": nil,
		"program missing": func(context.Context, string, []string, ...string) ([]byte, error) {
			return nil, exec.ErrNotFound
		},
		"exit 128": func(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
			return runGit(ctx, dir, env, "rev-parse", "--verify", "nothing")
		},
		"half of the list, then death": func(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
			out, _ := runGit(ctx, dir, env, args...)
			return out[:len(out)/2], errors.New("signal: killed")
		},
		"list cut within a path": func(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
			out, err := runGit(ctx, dir, env, args...)
			if slices.Contains(args, "ls-files") {
				out = out[:len(out)-2]
			}
			return out, err
		},
		"garbage": func(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
			return []byte("usage: git\x00"), nil
		},
		"HEAD unknown": func(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
			if slices.Contains(args, "rev-parse") {
				return nil, errors.New("exit status 128")
			}
			return runGit(ctx, dir, env, args...)
		},
	}
	for name, git := range fail {
		o := s.options()
		o.Git = git
		if tree, err := Identify(context.Background(), s.root, o); err == nil {
			t.Errorf("%s: a tree with %d entries", name, len(tree.Entries))
		}
	}
}

// TestBrokenRepository: a .git that git cannot use is an error, not a folder without git.
func TestBrokenRepository(t *testing.T) {
	for name, breakIt := range map[string]func(*sandbox){
		"empty .git":            func(s *sandbox) { os.RemoveAll(s.at(".git")); os.Mkdir(s.at(".git"), 0o755) },
		".git points nowhere":   func(s *sandbox) { os.RemoveAll(s.at(".git")); s.write(".git", "gitdir: /nowhere\n") },
		".git is a dead link":   func(s *sandbox) { os.RemoveAll(s.at(".git")); os.Symlink("nowhere", s.at(".git")) },
		".git is an empty file": func(s *sandbox) { os.RemoveAll(s.at(".git")); s.write(".git", "") },
		"damaged index":         func(s *sandbox) { s.write(".git/index", "DIRC what") },
		"work tree elsewhere":   func(s *sandbox) { s.git("config", "core.worktree", s.at("../home")) },
		"bare":                  func(s *sandbox) { s.git("config", "core.bare", "true") },
		"damaged config":        func(s *sandbox) { s.write(".git/config", "[core\n") },
	} {
		s := sample(t)
		breakIt(s)
		for _, root := range []string{s.root, s.at("tests")} {
			if tree, err := Identify(context.Background(), root, s.options()); err == nil {
				t.Errorf("%s: a tree with %d entries", name, len(tree.Entries))
			}
		}
	}
}

// TestForeignOwner: git's refusal of another user's repository is said, in git's words.
func TestForeignOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	s := sample(t)
	for _, path := range []string{s.root, s.at(".git")} {
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Identify(context.Background(), s.root, s.options())
	if err == nil || !strings.Contains(err.Error(), "dubious ownership") {
		t.Errorf("error %v", err)
	}
}

// TestGitVariables: what a hook's environment points git at does not count.
func TestGitVariables(t *testing.T) {
	s := sample(t)
	other := sample(t)
	want := s.identify()
	got := s.identify(func(o *Options) {
		o.Env = append(slices.Clone(o.Env), "GIT_DIR="+other.at(".git"), "GIT_INDEX_FILE=/nowhere", "GIT_WORK_TREE="+other.root,
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.bare", "GIT_CONFIG_VALUE_0=true")
	})
	if got.ID != want.ID || got.Head != want.Head {
		t.Error("the environment leads to another tree")
	}
}

// TestTrackedIsNeverIgnored: also in a folder that is ignored as a whole.
func TestTrackedIsNeverIgnored(t *testing.T) {
	s := newRepo(t)
	s.write("dist/deep/tracked.js", "x")
	s.write("dist/.tracked.js.swp", "x")
	s.write("one.log", "x")
	s.write(".DS_Store", "x")
	s.write(".claude/settings.local.json", "{}")
	s.commit()
	s.write("dist/deep/other.js", "x")
	s.write("dist/other/other.js", "x")
	s.write("two.log", "x")
	s.write("sub/.DS_Store", "x")
	s.write("sub/.x.go.swp", "x")
	s.write("sub/#x#", "x")
	os.Symlink("me@host", s.at("sub/.#x"))
	s.write("sub/.claude/settings.local.json", "{}")
	s.write("sub/.swift", "kept")
	s.write(".idea/x", "x")
	s.write(".gitignore", "dist\n*.log\n")
	tree := s.identify(func(o *Options) { o.Ignore = []string{"**/.idea/**", "one.log"} })
	wantPaths(t, tree, ".DS_Store", ".claude/settings.local.json", ".gitignore", "dist/.tracked.js.swp",
		"dist/deep/tracked.js", "one.log", "sub/.swift")
	left := []string{"folder settings: sub/.DS_Store", "local settings: sub/.claude/settings.local.json",
		"swap file: sub/#x#", "swap file: sub/.#x", "swap file: sub/.x.go.swp"}
	if !slices.Equal(tree.Left, left) {
		t.Errorf("Left %q, want %q", tree.Left, left)
	}
	for _, e := range tree.Entries {
		if want := e.Path != ".gitignore" && e.Path != "sub/.swift"; e.Tracked != want {
			t.Errorf("%s: Tracked %v", e.Path, e.Tracked)
		}
		if e.Ignored {
			t.Errorf("%s: Ignored", e.Path)
		}
	}
}

// TestNamedIgnored: inputs enter what they name, and no more.
func TestNamedIgnored(t *testing.T) {
	s := newRepo(t)
	for _, p := range []string{".env", "api/.env", "api/node_modules/m/index.js", "api/node_modules/.package-lock.json", "api/main.py",
		"api/gen.py", "gen/a/b.txt", "gen/c.bin", "conf/x.local", "conf/deep/y.local", "conf/.keep"} {
		s.write(p, "x")
	}
	s.write(".gitignore", ".env\nnode_modules\ngen*\n*.local\n")
	s.commit()
	for _, c := range []struct {
		inputs string
		want   string
	}{
		{"**", ""},
		{"**/*", ""},
		{"api/**", ""},
		{"api", ""},
		{"**/*.py", ""},
		{"api/*", ""},
		{".env", ".env"},
		{"./.env", ".env"},
		{"**/.env", ".env api/.env"},
		{"*/.env", "api/.env"},
		{"gen", "gen/a/b.txt gen/c.bin"},
		{"gen/**", "gen/a/b.txt gen/c.bin"},
		{"gen/**/*.txt", "gen/a/b.txt"},
		{"gen/*.bin", "gen/c.bin"},
		{"gen/a/b.txt", "gen/a/b.txt"},
		{"g*/**", "gen/a/b.txt gen/c.bin"},
		{"conf/*.local", "conf/x.local"},
		{"conf/**/*.local", ""},
		{"api/{.env,gen.py}", "api/.env api/gen.py"},
		{"api/node_modules/.package-lock.json", "api/node_modules/.package-lock.json"},
		{"*/node_modules/.package-lock.json", "api/node_modules/.package-lock.json"},
		{"nothing", ""},
	} {
		var got []string
		for _, e := range s.identify(func(o *Options) { o.Ignored = []string{c.inputs} }).Entries {
			if e.Ignored {
				got = append(got, e.Path)
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s enters %q, want %q", c.inputs, g, c.want)
		}
	}
}

// TestSubfolder: the root may lie below the top of the work tree; the rules from above hold in it and are in its ID.
func TestSubfolder(t *testing.T) {
	s := newRepo(t)
	s.write(".gitignore", "*.log\n/svc/out\nsvc/keep/*\n")
	s.write("svc/.gitignore", "!b.log\n")
	for _, p := range []string{"svc/a.log", "svc/b.log", "svc/out/x", "svc/out2/x", "svc/keep/x", "svc/m.go", "other/x"} {
		s.write(p, "x")
	}
	s.write("svc/t.log", "x")
	s.git("add", "-f", "svc/t.log")
	before := s.identifyIn(s.at("svc"))
	wantPaths(t, before, ".gitignore", "b.log", "m.go", "out2/x", "t.log")
	s.write("other/x", "y")
	if s.identifyIn(s.at("svc")).ID != before.ID {
		t.Error("a file outside the root is in the ID")
	}
	s.write(".gitignore", "*.log\n/svc/out\nsvc/keep/*\n# more\n")
	after := s.identifyIn(s.at("svc"))
	if after.ID == before.ID {
		t.Error("the rules above the root are not in the ID")
	}
	if moved, _ := Compare(before, after, nil, nil); !slices.Equal(moved, []string{"../.gitignore"}) {
		t.Errorf("moved %q", moved)
	}
	// Rules that ignore the root itself say nothing about what is in it.
	s.write(".gitignore", "svc\n")
	wantPaths(t, s.identifyIn(s.at("svc")), ".gitignore", "a.log", "b.log", "keep/x", "m.go", "out/x", "out2/x", "t.log")
	// A link to the root is the root.
	if err := os.Symlink(s.at("svc"), s.at("../link")); err != nil {
		t.Fatal(err)
	}
	wantPaths(t, s.identifyIn(s.at("../link")), ".gitignore", "a.log", "b.log", "keep/x", "m.go", "out/x", "out2/x", "t.log")
}

func TestUnborn(t *testing.T) {
	s := newRepo(t)
	s.write("a", "x")
	tree := s.identify()
	wantPaths(t, tree, "a")
	if tree.Head != "" || !tree.Dirty {
		t.Errorf("Head %q, Dirty %v", tree.Head, tree.Dirty)
	}
	if same, err := tree.MatchesHead(context.Background()); same || err != nil {
		t.Error(same, err)
	}
}

// TestNestedWorktrees: agents put linked work trees into the tree. They are left out, but cannot take anything with them.
func TestNestedWorktrees(t *testing.T) {
	s := sample(t)
	before := s.identify()
	s.git("worktree", "add", "-q", ".agents/one")
	after := s.identify()
	if after.ID != before.ID {
		t.Error("a linked worktree is in the ID")
	}
	if !slices.Equal(after.Left, []string{"linked worktree: .agents/one"}) {
		t.Errorf("Left %q", after.Left)
	}
	// From inside it is a tree like others, and the main one is not part of it.
	if inner := s.identifyIn(s.at(".agents/one")); inner.ID != before.ID {
		t.Error("the linked worktree has another ID")
	}
	// Laid over tracked files it hides nothing.
	os.Rename(s.at(".agents/one/.git"), s.at("tests/.git"))
	s.git("worktree", "repair", "tests")
	if over := s.identify(); !slices.Contains(paths(over), "tests/test_a.py") {
		t.Error("tracked files are hidden by a worktree over them")
	}
	os.Remove(s.at("tests/.git"))
	// A .git file that only claims to be one is an ordinary folder's.
	s.write("forged/.git", "gitdir: "+s.at(".git/worktrees/one")+"\n")
	s.write("forged/x", "x")
	if forged := s.identify(); !slices.Contains(paths(forged), "forged/x") {
		t.Error("a forged .git file hides a folder")
	}
}

// TestNestedRepositories: their bytes count by their own rules and tracked paths; the outer ones' stay in force.
func TestNestedRepositories(t *testing.T) {
	s := newRepo(t)
	s.write(".gitignore", "*.log\n/vendor\n")
	s.write("a.go", "x")
	s.commit()
	lib := newRepo(t)
	lib.write("lib.go", "x")
	lib.write("out.log", "tracked there")
	lib.write(".gitignore", "*.tmp\n")
	lib.commit()
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.root, "sub")
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-f", lib.root, "vendor/sub")
	s.write("sub/x.tmp", "ignored there")
	s.write("sub/y.log", "not ignored there")
	s.write("vendor/other", "ignored")
	tree := s.identify()
	wantPaths(t, tree, ".gitignore", ".gitmodules", "a.go", "sub/.gitignore", "sub/lib.go", "sub/out.log", "sub/y.log",
		"vendor/sub/.gitignore", "vendor/sub/lib.go", "vendor/sub/out.log")
	for _, e := range tree.Entries {
		if e.Tracked == (e.Path == "sub/y.log") {
			t.Errorf("%s: Tracked %v", e.Path, e.Tracked)
		}
	}
	os.Remove(s.at("sub/y.log"))
	s.commit()
	tree = s.identify()
	if same, err := tree.MatchesHead(context.Background()); !same || err != nil || tree.Dirty || tree.GitTree == "" {
		t.Errorf("MatchesHead: %v, %v; Dirty %v, GitTree %q", same, err, tree.Dirty, tree.GitTree)
	}
	s.write("sub/lib.go", "y")
	changed := s.identify()
	if changed.ID == tree.ID {
		t.Error("a dirty submodule has the same ID")
	}
	if same, err := changed.MatchesHead(context.Background()); same || err != nil {
		t.Errorf("dirty submodule: MatchesHead %v, %v", same, err)
	}
	// A repository made over tracked files does not turn them into ignored ones.
	s.write("pkg/a.py", "x")
	s.commit()
	s.git("init", "-q", "pkg")
	s.write("pkg/.gitignore", "*\n")
	if over := paths(s.identify()); !slices.Contains(over, "pkg/a.py") {
		t.Error("a repository over tracked files hides them")
	}
	// And where git cannot say what is tracked in a nested one, there is no identity.
	s.write("sub2/x", "x")
	s.git("init", "-q", "sub2")
	s.write("sub2/.git/index", "DIRC")
	if _, err := Identify(context.Background(), s.root, s.options()); err == nil {
		t.Error("a nested repository with a damaged index gives an identity")
	}
}

func TestMatchesHead(t *testing.T) {
	s := sample(t)
	s.write("café/ü\n.txt", "x")
	os.Chmod(s.at("run.sh"), 0o755)
	s.commit()
	ctx := context.Background()
	tree := s.identify()
	want := strings.TrimSpace(s.git("rev-parse", "HEAD^{tree}"))
	if same, err := tree.MatchesHead(ctx); !same || err != nil || tree.GitTree != want || tree.Dirty {
		t.Errorf("%v %v GitTree %q, want %q; Dirty %v", same, err, tree.GitTree, want, tree.Dirty)
	}
	s.write("tests/.cache/.gitignore", "*\n") // ignores itself, as tools' cache folders do: it is in the ID, and not in git
	sub := s.identifyIn(s.at("tests"))
	if !slices.Contains(paths(sub), ".cache/.gitignore") {
		t.Errorf("entries %q", paths(sub))
	}
	if same, err := sub.MatchesHead(ctx); !same || err != nil || sub.GitTree != "" || sub.Dirty {
		t.Errorf("subfolder: %v %v GitTree %q Dirty %v", same, err, sub.GitTree, sub.Dirty)
	}
	for name, change := range map[string]func(){
		"changed":    func() { s.write("a.go", "package q\n") },
		"untracked":  func() { s.write("new", "") },
		"in between": func() { s.write("b", "") },
		"last":       func() { s.write("zzz", "") },
		"deleted":    func() { os.Remove(s.at("a.go")) },
		"mode":       func() { os.Chmod(s.at("run.sh"), 0o644) },
		"hidden":     func() { s.git("update-index", "--assume-unchanged", "a.go"); s.write("a.go", "package r\n") },
	} {
		change()
		tree := s.identify()
		if same, err := tree.MatchesHead(ctx); same || err != nil || !tree.Dirty || tree.GitTree != "" {
			t.Errorf("%s: %v %v Dirty %v", name, same, err, tree.Dirty)
		}
		s.git("update-index", "--no-assume-unchanged", "a.go")
		s.git("reset", "-q", "--hard")
		s.git("clean", "-q", "-f", "-d")
	}
}

func TestInspect(t *testing.T) {
	s := sample(t)
	ctx := context.Background()
	clean := s.identify()
	if err := clean.Inspect(ctx); err != nil || len(clean.Anomalies) > 0 {
		t.Errorf("clean: %v, %q", err, clean.Anomalies)
	}
	s.git("update-index", "--assume-unchanged", "a.go")
	s.git("update-index", "--skip-worktree", "run.sh")
	s.git("config", "core.fileMode", "false")
	s.git("config", "core.excludesFile", "/x")
	s.git("config", "core.fsmonitor", "true")
	s.git("config", "filter.evil.clean", "cat /x")
	s.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
	s.git("replace", "HEAD^{tree}", s.git("rev-parse", "HEAD^{tree}")[:40], "-f")
	s.write(".git/info/exclude", "# no\nx\n")
	tree := s.identify()
	if err := tree.Inspect(ctx); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"assume-unchanged: a.go", "skip-worktree: run.sh", "git setting: core.filemode=false",
		"git setting: core.excludesfile=/x", "git setting: core.fsmonitor=true", "git setting: filter.evil.clean=cat /x",
		"replaced objects: refs/replace", "not empty: .git/info/exclude"} {
		if !slices.Contains(tree.Anomalies, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if slices.ContainsFunc(tree.Anomalies, func(a string) bool { return strings.Contains(a, "lfs") }) {
		t.Error("git-lfs is an anomaly")
	}
}
