package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runGit is the seam that tests pass: real git, started here.
func runGit(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// sandbox is a folder of a test's own, with an environment that keeps the machine's git settings out.
type sandbox struct {
	*testing.T
	root string
	env  []string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tt, _ := t.(*testing.T)
	s := &sandbox{T: tt, root: filepath.Join(dir, "root")}
	home := filepath.Join(dir, "home")
	for _, d := range []string{s.root, home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	return s
}

// newRepo is a sandbox that is a repository.
func newRepo(t *testing.T) *sandbox {
	t.Helper()
	s := newSandbox(t)
	s.git("init", "-q")
	return s
}

func (s *sandbox) at(path string) string { return filepath.Join(s.root, filepath.FromSlash(path)) }

func (s *sandbox) git(args ...string) string {
	s.Helper()
	return s.gitIn(s.root, args...)
}

func (s *sandbox) gitIn(dir string, args ...string) string {
	s.Helper()
	out, err := runGit(context.Background(), dir, s.env, args...)
	if err != nil {
		s.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

func (s *sandbox) write(path, text string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Dir(s.at(path)), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(s.at(path), []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

func (s *sandbox) commit() {
	s.Helper()
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "-m", "x")
}

func (s *sandbox) options() Options {
	return Options{Git: runGit, Env: s.env, Now: time.Now}
}

func (s *sandbox) identify(change ...func(*Options)) *Tree {
	s.Helper()
	return s.identifyIn(s.root, change...)
}

func (s *sandbox) identifyIn(dir string, change ...func(*Options)) *Tree {
	s.Helper()
	o := s.options()
	for _, c := range change {
		c(&o)
	}
	t, err := Identify(context.Background(), dir, o)
	if err != nil {
		s.Fatal(err)
	}
	return t
}

// later is a clock at which every file is old enough to be kept in the cache.
func later(o *Options) { o.Now = func() time.Time { return time.Now().Add(time.Hour) } }
