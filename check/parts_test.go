//go:build unix

package check

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"factgate/facts"
	"factgate/runners"
	"factgate/worktree"
)

func put(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// A results file is a regular file of the run's own, or it is a problem and none of it is read.
func TestOnlyRegularFilesAreResults(t *testing.T) {
	dir := t.TempDir()
	outside := put(t, filepath.Join(t.TempDir(), "secret"), "text", 0o600)
	put(t, filepath.Join(dir, "good"), "text", 0o600)
	put(t, filepath.Join(dir, "first"), "text", 0o600)
	for _, err := range []error{
		os.Link(filepath.Join(dir, "first"), filepath.Join(dir, "second")),
		os.Symlink(outside, filepath.Join(dir, "link")),
		syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600),
		os.Mkdir(filepath.Join(dir, "folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, code := range map[string]string{"good": "", "second": "linked", "link": "not_regular", "fifo": "not_regular", "folder": "not_regular", "none": "unreadable", "../x": "unreadable"} {
		read := false
		file, got := open(dir, name, true, func(r io.Reader) (facts.Results, error) {
			data, err := io.ReadAll(r)
			read = string(data) == "text"
			return facts.Results{Complete: true}, err
		})
		if read != (code == "") {
			t.Errorf("%s: read %v", name, read)
		}
		if code == "" && (file.Bytes != 4 || file.SHA256 != "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1") {
			t.Errorf("%s: %+v", name, file)
		}
		if code != "" && (len(got.Problems) != 1 || got.Problems[0].Code != code || !got.Problems[0].Weight.Blocking()) {
			t.Errorf("%s: %+v, want the problem %s", name, got.Problems, code)
		}
	}
}

// A file of another user is none of the run's, but root's may be: a container wrote it.
func TestForeignResults(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "r"), "text", 0o600)
	own, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, yes := foreign(own, os.Geteuid()); yes {
		t.Error("our own file is said to be another user's")
	}
	if err := os.Chown(path, 64123, -1); err != nil {
		t.Skipf("only root can give a file away: %v", err)
	}
	theirs, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	for us, want := range map[int]bool{0: false, 1000: true, 64123: false} {
		if user, yes := foreign(theirs, us); yes != want || user != 64123 {
			t.Errorf("to user %d: %v", us, yes)
		}
		if _, yes := foreign(own, us); yes {
			t.Errorf("root's file is another user's to %d", us)
		}
	}
}

// Neither is one that is written over and made to look as before.
func TestResultsThatChangeUnseen(t *testing.T) {
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "r"), "text", 0o600)
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	_, got := open(dir, "r", true, func(r io.Reader) (facts.Results, error) {
		_, err := io.ReadAll(r)
		put(t, path, "next", 0o600)
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Error(err)
		}
		return facts.Results{Complete: true}, err
	})
	if len(got.Problems) != 1 || got.Problems[0].Code != "changed" || got.Problems[0].Weight != facts.Incomplete {
		t.Errorf("%+v", got.Problems)
	}
}

// A file that changes while it is read is not complete.
func TestResultsThatChange(t *testing.T) {
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "r"), "text", 0o600)
	_, got := open(dir, "r", true, func(r io.Reader) (facts.Results, error) {
		_, err := io.ReadAll(r)
		put(t, path, "other text", 0o600)
		return facts.Results{Complete: true}, err
	})
	if len(got.Problems) != 1 || got.Problems[0].Weight != facts.Incomplete {
		t.Errorf("%+v", got.Problems)
	}
}

// What lay at the program's own path is away while it runs, and comes back where the run wrote nothing.
func TestMoveAside(t *testing.T) {
	root, private := t.TempDir(), t.TempDir()
	old := put(t, filepath.Join(root, "out", "old.xml"), "old", 0o600)
	again := put(t, filepath.Join(root, "out", "again.xml"), "old", 0o600)
	plan := runners.Plan{Source: runners.Source{Glob: "out/*.xml"}}
	noted := 0
	refuse := func([]string) error { return errors.New("disk full") }
	if moved, _, err := moveAside(plan, root, private, refuse); err == nil || len(moved) > 0 || !exists(old) {
		t.Fatalf("moved %v without a note of it, %v", moved, err)
	}
	moved, restore, err := moveAside(plan, root, private, func(names []string) error {
		if !exists(old) || !exists(again) {
			t.Error("moved before it was noted")
		}
		noted = len(names)
		return nil
	})
	if noted != 2 || err != nil {
		t.Fatal(err)
	}
	if len(moved) != 2 || exists(old) || exists(again) {
		t.Fatalf("moved %v", moved)
	}
	put(t, again, "new", 0o600)
	restore()
	for path, want := range map[string]string{old: "old", again: "new"} {
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
}

// A script inside the root enters the key without its first line, so that another clone's environment is equal; its
// interpreter enters by its bytes.
func TestPrograms(t *testing.T) {
	root, other, bin := t.TempDir(), t.TempDir(), t.TempDir()
	python := put(t, filepath.Join(bin, "python"), "binary one", 0o700)
	digest := func(root, argv0 string, env ...string) program {
		return newPrograms(root, filepath.Join(t.TempDir(), "cache")).resolve(argv0, root, env)
	}
	a := put(t, filepath.Join(root, "venv", "tool"), "#!"+python+"\nwork()\n", 0o700)
	b := put(t, filepath.Join(other, "venv", "tool"), "#!"+python+" -u\nwork()\n", 0o700)
	one, two := digest(root, "venv/tool"), digest(other, "venv/tool")
	if one.Path != a || two.Path != b || one.Digest == "" || one.Digest != two.Digest {
		t.Errorf("%+v\n%+v", one, two)
	}
	if outside := digest(bin, a); outside.Digest == one.Digest {
		t.Error("outside the root the first line counts")
	}
	put(t, python, "binary two", 0o700)
	if now := digest(root, "venv/tool"); now.Digest == one.Digest {
		t.Error("another interpreter is another program")
	}
	if found := digest(root, "python", "PATH="+bin); found.Path != python {
		t.Errorf("on PATH: %+v", found)
	}
	if found := digest(root, "tool", "PATH=:.:relative"); found.Path != "" {
		t.Errorf("found outside of absolute PATH folders: %+v", found)
	}
}

// The digest of a program is kept by its stat identity, and made anew when that changes.
func TestProgramCache(t *testing.T) {
	dir := t.TempDir()
	tool, cache := put(t, filepath.Join(dir, "tool"), "one", 0o700), filepath.Join(t.TempDir(), "cache")
	first := newPrograms(dir, cache)
	before := first.resolve(tool, dir, nil)
	first.save()
	if again := newPrograms(dir, cache); len(again.known) != 1 || again.resolve(tool, dir, nil) != before {
		t.Errorf("known: %v", again.known)
	}
	put(t, tool, "two, longer", 0o700)
	if after := newPrograms(dir, cache).resolve(tool, dir, nil); after.Digest == before.Digest {
		t.Error("a changed program has its old digest")
	}
	put(t, cache, "no JSON", 0o600)
	if p := newPrograms(dir, cache); len(p.known) != 0 {
		t.Error("a damaged cache is believed")
	}
}

func TestWitnesses(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b")
	put(t, filepath.Join(dir, "x"), "", 0o600)
	put(t, filepath.Join(root, "lock"), "one", 0o600)
	put(t, filepath.Join(root, "a", "lock"), "two", 0o600)
	for _, name := range []string{"p-1.dist-info", "q-2.dist-info"} {
		put(t, filepath.Join(dir, "site", name, "RECORD"), "", 0o600)
	}
	got := witnesses([]string{"lock", "site/*.dist-info", "none"}, dir, root)
	if len(got) != 3 || got["a/lock"] != fileDigest(filepath.Join(root, "a", "lock")) || got["a/b/site/p-1.dist-info"] == "" {
		t.Errorf("%v", got)
	}
}

// Callers that ask at the same time share a walk, and nobody gets one that began before he asked.
func TestTreesShareWalks(t *testing.T) {
	var begun atomic.Int32
	entered, proceed := make(chan struct{}, 100), make(chan struct{})
	trees := &trees{now: time.Now, identify: func(context.Context) (*worktree.Tree, error) {
		n := begun.Add(1)
		entered <- struct{}{}
		<-proceed
		return &worktree.Tree{ID: strings.Repeat("x", int(n))}, nil
	}}
	take := func(out chan<- string) {
		t, err := trees.take(context.Background())
		if err != nil {
			out <- err.Error()
			return
		}
		out <- t.ID
	}
	first, later := make(chan string, 1), make(chan string, 10)
	go take(first)
	<-entered
	for range 10 {
		go take(later)
	}
	close(proceed)
	if id := <-first; id != "x" {
		t.Errorf("the first walk: %q", id)
	}
	for range 10 {
		if id := <-later; len(id) < 2 {
			t.Errorf("asked after the first walk began, and got it: %q", id)
		}
	}
	if n := begun.Load(); n > 11 {
		t.Errorf("%d walks", n)
	}
}

// All worktrees of a repository share a chain; two roots in it do not, nor do two repositories.
func TestChainName(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	main, linked := filepath.Join(base, "main"), filepath.Join(base, "linked")
	put(t, filepath.Join(main, ".git", "HEAD"), "ref: refs/heads/main\n", 0o600)
	put(t, filepath.Join(main, ".git", "worktrees", "linked", "commondir"), "../..\n", 0o600)
	put(t, filepath.Join(linked, ".git"), "gitdir: "+filepath.Join(main, ".git", "worktrees", "linked")+"\n", 0o600)
	put(t, filepath.Join(main, "sub", "x"), "", 0o600)
	put(t, filepath.Join(base, "other", "x"), "", 0o600)
	name := func(root string) string {
		t.Helper()
		chain, err := ChainName(root)
		if err != nil {
			t.Error(err)
		}
		return chain
	}
	if name(main) != name(linked) {
		t.Error("a linked worktree has a chain of its own")
	}
	if name(main) == name(filepath.Join(main, "sub")) || name(main) == name(filepath.Join(base, "other")) {
		t.Error("two roots share a chain")
	}
	// A .git that cannot be read is no repository without git: its records would go elsewhere.
	loop := filepath.Join(base, "loop", ".git")
	put(t, filepath.Join(base, "loop", "x"), "", 0o600)
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	if chain, err := ChainName(filepath.Join(base, "loop")); err == nil {
		t.Errorf("a .git that cannot be read gives chain %s", chain)
	}
}

func TestTiers(t *testing.T) {
	for _, c := range []struct {
		gate, tier string
		want       bool
	}{{"stop", "stop", true}, {"stop", "push", true}, {"stop", "ci", true}, {"push", "stop", false}, {"push", "push", true},
		{"ci", "push", false}, {"ci", "ci", true}, {"off", "ci", false}, {"", "ci", false}} {
		if got := within(c.gate, c.tier); got != c.want {
			t.Errorf("gate %q at tier %q: %v", c.gate, c.tier, got)
		}
	}
}
