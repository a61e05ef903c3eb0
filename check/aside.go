package check

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"factgate/runners"
)

// moveAside takes away what lies at a path that the program insists on, so that only what this run writes counts. What
// was taken comes back where the run wrote nothing in its place: nothing of the user's is lost.
func moveAside(p runners.Plan, root, runDir string) (moved []string, restore func()) {
	if p.Source.Glob == "" {
		return nil, func() {}
	}
	type pair struct{ from, to string }
	var pairs []pair
	names, err := list(root, below(root, p.Source.Glob))
	if err != nil {
		return nil, func() {}
	}
	for i, name := range names {
		from := filepath.Join(root, filepath.FromSlash(name))
		to := filepath.Join(runDir, fmt.Sprintf("aside-%d", i))
		if move(from, to) == nil {
			pairs = append(pairs, pair{from, to})
			moved = append(moved, name)
		}
	}
	return moved, func() {
		for _, one := range pairs {
			if _, err := os.Lstat(one.from); err == nil {
				continue
			}
			if os.MkdirAll(filepath.Dir(one.from), 0o755) == nil {
				_ = move(one.to, one.from) // the worst case loses results that proved nothing
			}
		}
	}
}

// move renames, or copies between file systems.
func move(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is a %s", from, kind(info.Mode()))
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(to)
		return err
	}
	return os.Remove(from)
}

// list names what a glob matches below dir, sorted, with slashes. Links are not followed.
func list(dir string, globs ...string) (names []string, err error) {
	for _, glob := range globs {
		more, err := doublestar.Glob(os.DirFS(dir), glob, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("%d files match %s, more than the %d that are read", len(names), globs[0], maxFiles)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
