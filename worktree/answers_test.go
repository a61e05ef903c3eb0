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
	remember.Answers = &Answers{}
	look := func(what string) {
		t.Helper()
		want, wantErr := Identify(context.Background(), s.root, s.options())
		got, err := Identify(context.Background(), s.root, remember)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: %v, and asked anew %v", what, err, wantErr)
		}
		if err != nil {
			return
		}
		if got.ID != want.ID || got.Head != want.Head || got.headTree != want.headTree || !slices.Equal(got.Anomalies, want.Anomalies) {
			t.Fatalf("%s: %s %s %v, and asked anew %s %s %v", what, got.ID, got.Head, got.Anomalies, want.ID, want.Head, want.Anomalies)
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
