package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"factgate/record"
	"factgate/runners"
)

// moveAside takes away what lies at a path that the program insists on, so that only what this run writes counts. What
// was taken comes back where the run wrote nothing in its place: nothing of the user's is lost.
// What cannot be moved is an error: nobody could tell it from what the run writes. note writes the names down before, for
// whoever comes after we were killed.
func moveAside(p runners.Plan, root, runDir string, note func(names []string) error) (moved []string, restore func(), err error) {
	if p.Source.Glob == "" {
		return nil, func() {}, nil
	}
	type pair struct{ from, to string }
	var pairs []pair
	restore = func() {
		for _, one := range pairs {
			if _, err := os.Lstat(one.from); err == nil {
				continue
			}
			if os.MkdirAll(filepath.Dir(one.from), 0o755) == nil {
				_ = move(one.to, one.from) // the worst case loses results that proved nothing
			}
		}
		_ = os.Remove(filepath.Join(runDir, record.AsideFile))
	}
	names, err := list(root, p.Source.Glob)
	if err != nil {
		return nil, restore, fmt.Errorf("results of earlier runs cannot be moved aside: %w", err)
	}
	if len(names) > 0 {
		if err := note(names); err != nil {
			return nil, restore, fmt.Errorf("results of earlier runs cannot be moved aside: %w", err)
		}
	}
	for i, name := range names {
		from := filepath.Join(root, filepath.FromSlash(name))
		to := filepath.Join(runDir, record.AsideName(i))
		if err := move(from, to); err != nil {
			return moved, restore, fmt.Errorf("%s is there from an earlier run and cannot be moved aside: %w", name, cause(err))
		}
		pairs = append(pairs, pair{from, to})
		moved = append(moved, name)
	}
	return moved, restore, nil
}

// cause is what the system said, without the paths.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
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
		return fmt.Errorf("%s is a %s", from, Kind(info.Mode()))
	}
	if err := copyNew(from, to, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Remove(from)
}

// copyNew copies a file to where nothing lies; the copy is on disk when it returns.
func copyNew(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(to)
	}
	return err
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
