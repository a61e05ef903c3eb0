package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// bigRepo is a committed repository of n files in folders of 20, with a common sort of .gitignore.
func bigRepo(b *testing.B, n int) (*sandbox, Options) {
	b.Helper()
	s := newSandbox(b)
	ctx := context.Background()
	git := func(args ...string) {
		if _, err := runGit(ctx, s.root, s.env, args...); err != nil {
			b.Fatal(err)
		}
	}
	git("init", "-q")
	git("config", "gc.auto", "0")
	git("config", "maintenance.auto", "false")
	put := func(path, text string) {
		path = s.at(path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	ignore := "node_modules/\n__pycache__/\n*.pyc\n*.o\n/dist\n.env\n.venv/\ncoverage*/\n!keep.o\n"
	for i := range 30 {
		ignore += fmt.Sprintf("generated%d\n*.tmp%d\n/build%d/out\n", i, i, i)
	}
	put(".gitignore", ignore)
	for i := range n {
		put(fmt.Sprintf("packages/pkg%d/src/folder%d/file%d.go", i/400, i/20%20, i), fmt.Sprintf("package p%d\n", i))
	}
	git("add", "-A")
	git("commit", "-q", "-m", "x")
	o := Options{Git: runGit, Env: s.env, Cache: filepath.Join(s.root, "..", "cache")}
	later(&o)
	return s, o
}

func BenchmarkIdentify(b *testing.B) {
	for _, n := range []int{5000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkIdentify(b, n) })
	}
}

func benchmarkIdentify(b *testing.B, n int) {
	s, o := bigRepo(b, n)
	ctx := context.Background()
	identify := func(b *testing.B, o Options) *Tree {
		t, err := Identify(ctx, s.root, o)
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			deep := o
			deep.Deep = true
			identify(b, deep)
		}
	})
	t := identify(b, o)
	b.Run("warm", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			identify(b, o)
		}
	})
	b.Run("gitstatus", func(b *testing.B) {
		for b.Loop() {
			if _, err := runGit(ctx, s.root, s.env, "status", "--porcelain"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("matcheshead", func(b *testing.B) {
		for b.Loop() {
			if same, err := t.MatchesHead(ctx); err != nil || !same {
				b.Fatal(same, err)
			}
		}
	})
	b.Run("inputs-of-200-checks", func(b *testing.B) {
		for b.Loop() {
			t.memo, t.sums = map[string]*selection{}, map[string]string{}
			for i := range 200 {
				t.Inputs([]string{fmt.Sprintf("packages/pkg%d/**", i), "**/*.go", "packages/**/file1*.go", ".env"})
			}
		}
	})
}
