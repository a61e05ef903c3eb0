package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxSize is the largest file that is read, in bytes. Ten thousand checks fit.
const maxSize = 256 << 10

var (
	errTooLarge   = fmt.Errorf("is larger than %d KiB", maxSize>>10)
	errNotRegular = errors.New("is not a regular file")
	errOutside    = errors.New("is a symbolic link that leaves the root")
)

// readFile reads a regular file of bounded size, once. A symbolic link is followed as long as it stays below the folder
// that holds it: what lies elsewhere is not in the tree that is being tested.
func readFile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, err
		}
		if inside, err := below(filepath.Dir(path), target); err != nil {
			return nil, err
		} else if !inside {
			return nil, errOutside
		}
		path = target
	} else if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Asked again of what was opened: the path may name something else by now.
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize {
		return nil, errTooLarge
	}
	return data, nil
}

// below reports whether target, without symbolic links, lies in dir or is it. dir may be reached through links.
func below(dir, target string) (bool, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(dir, target)
	if err != nil {
		return false, nil // on another volume
	}
	return rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)), nil
}

func unreadable(path string, err error) Problem {
	p := Problem{File: filepath.Base(path)}
	var pathErr *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Text, p.Hint = "there is no such file", "docs/config.md says how to write one"
	case errors.Is(err, errTooLarge), errors.Is(err, errNotRegular), errors.Is(err, errOutside):
		p.Text = err.Error()
	case errors.As(err, &pathErr):
		p.Text = "cannot be read: " + pathErr.Err.Error()
	default:
		p.Text = "cannot be read: " + err.Error()
	}
	return p
}
