package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAnswers: what is remembered is never what git would not say now, and is all that is needed while nothing changes.
func TestAnswers(t *testing.T) {
	s := sample(t)
	var asked atomic.Int64
	remember := s.options()
	git := remember.Git
	remember.Git = func(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
		asked.Add(1)
		return git(ctx, dir, env, args...)
	}
	file := filepath.Join(t.TempDir(), "answers")
	remember.Answers = NewAnswers(file)
	next := 0
	look := func(what string) {
		t.Helper()
		want, wantErr := Identify(context.Background(), s.root, s.options())
		got, err := Identify(context.Background(), s.root, remember)
		if next++; next%2 == 0 { // as the next process does it
			remember.Answers.Save()
			remember.Answers = NewAnswers(file)
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: %v, and asked anew %v", what, err, wantErr)
		}
		if err != nil {
			return
		}
		if got.ID != want.ID || got.Head != want.Head || got.headTree != want.headTree || !slices.Equal(got.Anomalies, want.Anomalies) {
			t.Fatalf("%s: %s %s %v, and asked anew %s %s %v", what, got.ID, got.Head, got.Anomalies, want.ID, want.Head, want.Anomalies)
		}
		wantSame, _ := want.MatchesHead(context.Background())
		if same, _ := got.MatchesHead(context.Background()); same != wantSame || got.GitTree != want.GitTree {
			t.Fatalf("%s: the bytes are HEAD's: %v, and asked anew %v", what, same, wantSame)
		}
		for i := range got.Entries {
			if got.Entries[i].Tracked != want.Entries[i].Tracked {
				t.Fatalf("%s: %s tracked: %v", what, got.Entries[i].Path, got.Entries[i].Tracked)
			}
		}
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(s.at(path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	look("at first")
	before := asked.Load()
	look("nothing changed")
	look("nothing changed, and another process asks")
	write("untracked.txt", "x")
	look("a new file")
	if n := asked.Load() - before; n != 0 {
		t.Errorf("git was asked %d times though nothing changed that it answers from", n)
	}
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"added", func() { s.git("add", "untracked.txt") }},
		{"assume-unchanged", func() { s.git("update-index", "--assume-unchanged", "untracked.txt") }},
		{"removed from the index", func() { s.git("rm", "-q", "--cached", "untracked.txt") }},
		{"committed", func() { s.git("add", "-A"); s.git("commit", "-qm", "more") }},
		{"a new branch", func() { s.git("checkout", "-qb", "feature/a") }},
		{"committed there", func() { s.git("commit", "-q", "--allow-empty", "-m", "empty") }},
		{"packed", func() { s.git("pack-refs", "--all") }},
		{"committed again", func() { s.git("commit", "-q", "--allow-empty", "-m", "empty again") }},
		{"back", func() { s.git("reset", "-q", "--soft", "HEAD~1") }},
		{"detached", func() { s.git("checkout", "-q", "--detach") }},
		{"an orphan", func() { s.git("checkout", "-q", "--orphan", "new") }},
		{"another name for a branch", func() {
			s.git("symbolic-ref", "HEAD", "refs/heads/feature/a")
			s.git("symbolic-ref", "refs/heads/other", "refs/heads/feature/a")
			s.git("symbolic-ref", "HEAD", "refs/heads/other")
		}},
		{"what it names moved", func() { s.git("update-ref", "refs/heads/feature/a", "HEAD~1") }},
		{"an index in parts", func() { s.git("update-index", "--split-index") }},
		{"a part changed", func() { s.git("rm", "-q", "--cached", "untracked.txt") }},
		{"in one again", func() {
			s.git("update-index", "--no-split-index")
			parts, _ := filepath.Glob(s.at(".git/sharedindex.*"))
			for _, part := range parts {
				_ = os.Remove(part)
			}
			s.git("symbolic-ref", "HEAD", "refs/heads/feature/a")
		}},
		{"packed anew", func() { s.git("pack-refs", "--all") }},
		{"moved, and packed", func() { s.git("update-ref", "refs/heads/feature/a", "HEAD~1"); s.git("pack-refs", "--all") }},
		{"a branch elsewhere", func() { s.git("update-ref", "refs/heads/elsewhere", first); s.git("pack-refs", "--all") }},
		{"on that branch", func() { s.git("symbolic-ref", "HEAD", "refs/heads/elsewhere") }},
		{"the work tree elsewhere", func() { s.git("config", "core.worktree", t.TempDir()) }},
	} {
		step.do()
		look(step.what)
		look(step.what + ", nothing changed")
	}
	if err := os.Remove(filepath.Join(s.root, ".git", "config")); err != nil {
		t.Fatal(err)
	}
	look("no configuration")
}

// TestAnswersFile: a file of answers that is damaged, cut off or of another root answers nothing.
func TestAnswersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "answers")
	one, two := [32]byte{1}, [32]byte{2}
	a := NewAnswers(path)
	a.put("question", one, []byte("answer\x00\n"))
	a.put("empty", two, nil)
	a.Save()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	has := func(question string, from [32]byte) bool {
		_, ok := NewAnswers(path).get(question, from)
		return ok
	}
	if out, ok := NewAnswers(path).get("question", one); !ok || string(out) != "answer\x00\n" || !has("empty", two) {
		t.Fatalf("kept %q %v", out, ok)
	}
	if has("question", two) || has("another", one) {
		t.Error("an answer to something else")
	}
	for i := range whole {
		for _, bad := range [][]byte{whole[:i], append(append(append([]byte{}, whole[:i]...), whole[i]^1), whole[i+1:]...)} {
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if has("question", one) || has("empty", two) {
				t.Fatalf("damaged at byte %d, and believed", i)
			}
		}
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	b := NewAnswers(path)
	b.get("question", one)
	b.put("new", two, nil)
	b.Save()
	if !has("question", one) || !has("new", two) || has("empty", two) {
		t.Error("what is asked stays, and what nobody asks any more goes")
	}
}

// TestSettingsRemembered: what git is set to is asked again whenever any file that says it may have changed.
func TestSettingsRemembered(t *testing.T) {
	s := sample(t)
	home := t.TempDir()
	s.env = append(s.env, "HOME="+home, "XDG_CONFIG_HOME=")
	var asked atomic.Int64
	remember := s.options()
	git := remember.Git
	remember.Git = func(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
		asked.Add(1)
		return git(ctx, dir, env, args...)
	}
	remember.Answers = NewAnswers(filepath.Join(t.TempDir(), "answers"))
	look := func(what string) {
		t.Helper()
		var found [2][]string
		for i, o := range []Options{s.options(), remember} {
			tree, err := Identify(context.Background(), s.root, o)
			if err == nil {
				err = tree.Inspect(context.Background())
			}
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			found[i] = tree.Anomalies
		}
		if !slices.Equal(found[0], found[1]) {
			t.Fatalf("%s: remembered %q, and said now %q", what, found[1], found[0])
		}
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	look("at first")
	before := asked.Load()
	look("nothing changed")
	if n := asked.Load() - before; n != 0 {
		t.Errorf("git was asked %d times though nothing changed", n)
	}
	outside := filepath.Join(t.TempDir(), "more")
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"the repository's", func() { s.git("config", "core.fileMode", "false") }},
		{"and back", func() { s.git("config", "core.fileMode", "true") }},
		{"the user's", func() { write(filepath.Join(home, ".gitconfig"), "[core]\n\ttrustctime = false\n") }},
		{"the user's other", func() { write(filepath.Join(home, ".config", "git", "config"), "[core]\n\tcheckStat = minimal\n") }},
		{"ignored by the user", func() { write(filepath.Join(home, ".config", "git", "ignore"), "*.txt\n") }},
		{"the work tree's", func() {
			s.git("config", "extensions.worktreeConfig", "true")
			s.git("config", "--worktree", "core.attributesFile", "/x")
		}},
		{"included, not there", func() { s.git("config", "include.path", outside) }},
		{"included", func() { write(outside, "[core]\n\tfsmonitor = true\n") }},
		{"included, changed", func() { write(outside, "[filter \"x\"]\n\tclean = cat\n") }},
		{"replaced", func() { s.git("replace", "HEAD:a.go", "HEAD:run.sh") }},
		{"replaced, packed", func() { s.git("pack-refs", "--all", "--prune") }},
		{"not replaced", func() { s.git("replace", "-d", strings.TrimSpace(s.git("rev-parse", "HEAD:a.go"))) }},
	} {
		step.do()
		look(step.what)
		look(step.what + ", nothing changed")
	}
}

// TestBadAnswers: an answer that cannot be right is an error once, and not remembered.
func TestBadAnswers(t *testing.T) {
	s := sample(t)
	lie := ""
	o := s.options()
	git := o.Git
	o.Git = func(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
		if lie != "" {
			return []byte(lie), nil
		}
		return git(ctx, dir, env, args...)
	}
	want := s.identify()
	file := filepath.Join(t.TempDir(), "answers")
	for _, lie = range []string{"x", "H fa", "x\n", "\x00", t.TempDir() + "\n", "H a.go\x00H b"} {
		o.Answers = NewAnswers(file)
		if _, err := Identify(context.Background(), s.root, o); err == nil {
			t.Errorf("git says %q, and that is believed", lie)
		}
		o.Answers.Save()
	}
	lie = ""
	o.Answers = NewAnswers(file)
	got, err := Identify(context.Background(), s.root, o)
	if err != nil || got.ID != want.ID || got.Head != want.Head {
		t.Errorf("after bad answers: %v", err)
	}
}
