package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Git starts git with the given arguments in dir, under exactly env, and returns all that it printed. Any ending but
// exit code 0 is an error, a missing program and output that was cut off too. An error should carry git's own words.
type Git func(ctx context.Context, dir string, env []string, args ...string) (stdout []byte, err error)

// hardened are the options under which git only answers: no lock, no hook, no monitor, no replaced objects.
var hardened = [...]string{
	"--no-optional-locks", "--no-replace-objects", "--literal-pathspecs",
	"-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
	"-c", "core.excludesFile=" + os.DevNull, "-c", "core.hooksPath=" + os.DevNull,
}

// asker asks git about repositories, always in the same hardened way.
type asker struct {
	git     Git
	env     []string
	answers *Answers // may be nil
	states  *states
}

// newAsker takes every GIT_ variable out of the caller's environment: each can point git at another repository.
func newAsker(git Git, env []string, answers *Answers) asker {
	kept := []string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C"}
	for _, v := range env {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "LC_ALL=") {
			kept = append(kept, v)
		}
	}
	return asker{git, kept, answers, &states{}}
}

func (a asker) ask(ctx context.Context, dir string, args ...string) ([]byte, error) {
	if a.git == nil {
		return nil, fmt.Errorf("git %s in %s: no git program", args[0], dir)
	}
	out, err := a.git(ctx, dir, a.env, append(hardened[:], args...)...)
	if err != nil {
		return nil, fmt.Errorf("git %s in %s: %w", args[0], dir, err)
	}
	return out, nil
}

// repository is a git repository whose work tree holds the root, or lies below it.
type repository struct {
	above   *repository // the one around it
	prefix  string      // from the root, with a trailing slash; "" for the one that holds the root
	dirs    gitDirs
	tracked []string // paths from the root, in byte order; only what lies below the root
	marks   []string // index flags that hide changes from git: "assume-unchanged: PATH"
	err     error
	done    chan struct{}
}

// list asks git for the tracked paths. The fields may be read when done is closed.
func (r *repository) list(ctx context.Context, a asker, dir string) {
	defer close(r.done)
	good := func(out []byte) bool { return (&repository{}).parse(out) == nil }
	out, err := a.recall(ctx, r.dirs, dir, good, "ls-files", "-v", "-z")
	if err == nil {
		err = r.parse(out)
	}
	if err != nil {
		r.err = fmt.Errorf("which files are tracked is unknown: %w", err)
	}
}

// parse reads the output of ls-files -v -z: a letter, a space, a path, a NUL.
func (r *repository) parse(out []byte) error {
	if len(out) == 0 {
		return nil
	}
	if out[len(out)-1] != 0 {
		return errors.New("git ls-files: its output is cut off")
	}
	r.tracked = make([]string, 0, bytes.Count(out, []byte{0}))
	for rest := string(out); rest != ""; {
		var record string
		record, rest, _ = strings.Cut(rest, "\x00")
		if len(record) < 3 || record[1] != ' ' {
			return fmt.Errorf("git ls-files: cannot read %q", record)
		}
		path := record[2:]
		if r.prefix != "" {
			path = r.prefix + path
		}
		r.tracked = append(r.tracked, path)
		switch tag := record[0]; {
		case tag == 'S' || tag == 's':
			r.marks = append(r.marks, "skip-worktree: "+path)
		case 'a' <= tag && tag <= 'z':
			r.marks = append(r.marks, "assume-unchanged: "+path)
		}
	}
	if !slices.IsSorted(r.tracked) {
		slices.Sort(r.tracked)
	}
	return nil
}

// has says whether a path from the root is tracked, here or in a repository around this one.
func (r *repository) has(path string) bool {
	for ; r != nil; r = r.above {
		if _, found := slices.BinarySearch(r.tracked, path); found {
			return true
		}
	}
	return false
}

// hasBelow says whether anything in the folder at a path from the root is tracked.
func (r *repository) hasBelow(folder string) bool {
	for folder += "/"; r != nil; r = r.above {
		i, _ := slices.BinarySearch(r.tracked, folder)
		if i < len(r.tracked) && strings.HasPrefix(r.tracked[i], folder) {
			return true
		}
	}
	return false
}

// head is what git says about where the root is.
type head struct {
	commit, tree string // names of HEAD's commit and tree; empty without commits
	err          error
}

// readHead asks for HEAD, and holds git's idea of the work tree against the folder in which we found .git: a setting
// that moves the work tree elsewhere would make the list of tracked paths that of another folder.
func readHead(ctx context.Context, a asker, root, top string, dirs gitDirs) (h head) {
	good := func(out []byte) bool { return parseHead(out, top).err == nil }
	out, err := a.recall(ctx, dirs, root, good, "rev-parse", "--show-toplevel", "--revs-only", "HEAD", "HEAD^{tree}")
	if err != nil {
		return head{err: err}
	}
	return parseHead(out, top)
}

// parseHead reads the top of the work tree, which must be ours, and below it the names of HEAD's commit and tree.
func parseHead(out []byte, top string) (h head) {
	text := strings.TrimSuffix(string(out), "\n")
	var names []string
	for len(names) < 2 {
		i := strings.LastIndexByte(text, '\n')
		if i < 0 || !isObjectName(text[i+1:]) {
			break
		}
		names = append([]string{text[i+1:]}, names...)
		text = text[:i]
	}
	if len(names) > 0 {
		h.commit = names[0]
	}
	if len(names) > 1 {
		h.tree = names[1]
	}
	ours, err := os.Stat(top)
	if err == nil {
		var theirs fs.FileInfo
		if theirs, err = os.Stat(text); err == nil && !os.SameFile(ours, theirs) {
			err = fmt.Errorf("git takes %s for the top of the work tree, but %s holds .git (core.worktree?)", text, top)
		}
	}
	if err != nil {
		return head{err: err}
	}
	return h
}

func isObjectName(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// gitDirs are the folders in which a repository keeps its data.
type gitDirs struct {
	own    string // this work tree's own
	common string // shared by all linked work trees
}

// findTop looks for the folder at or above root that holds a usable .git. It is "" without one. A .git that is there but
// cannot be used is an error when none above it can be: the tree must not look as if it had no git.
func findTop(root string) (top string, dirs gitDirs, err error) {
	var broken error
	for dir := root; ; dir = filepath.Dir(dir) {
		found, err := readGitDir(filepath.Join(dir, ".git"))
		if err == nil {
			return dir, found, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && broken == nil {
			broken = err
		}
		if dir == filepath.Dir(dir) {
			return "", gitDirs{}, broken
		}
	}
}

// readGitDir follows a .git folder or file. The error is fs.ErrNotExist only when there is no .git at all.
func readGitDir(dotgit string) (gitDirs, error) {
	info, err := os.Stat(dotgit)
	if err != nil {
		if _, lerr := os.Lstat(dotgit); lerr == nil {
			return gitDirs{}, fmt.Errorf("%s is a link to nothing", dotgit)
		}
		return gitDirs{}, err
	}
	dirs := gitDirs{own: dotgit}
	if !info.IsDir() {
		if dirs.own, err = readPointer(dotgit, "gitdir: "); err != nil {
			return gitDirs{}, err
		}
	}
	dirs.common = dirs.own
	common, err := readPointer(filepath.Join(dirs.own, "commondir"), "")
	switch {
	case err == nil:
		dirs.common = common
	case !errors.Is(err, fs.ErrNotExist):
		return gitDirs{}, err
	}
	for _, need := range []string{filepath.Join(dirs.own, "HEAD"), filepath.Join(dirs.common, "objects")} {
		if _, err := os.Lstat(need); err != nil {
			return gitDirs{}, fmt.Errorf("%s is there, but is no usable repository: %s is missing", dotgit, need)
		}
	}
	return dirs, nil
}

// readPointer reads a file of git's that holds one path, absolute or relative to the file's folder.
func readPointer(path, prefix string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(string(text), prefix)
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" {
		return "", fmt.Errorf("%s: no path in it", path)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), filepath.FromSlash(target))
	}
	return target, nil
}

// linkedTo says whether dirs, those of the .git in folder, are a linked work tree of the repository with this common
// folder, and git's own note of where that work tree lies agrees.
func (d gitDirs) linkedTo(common, folder string) bool {
	if d.own == d.common || common == "" || !sameFile(d.common, common) {
		return false
	}
	back, err := readPointer(filepath.Join(d.own, "gitdir"), "")
	return err == nil && sameFile(back, filepath.Join(folder, ".git"))
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
