package check

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"factgate/runners"
)

// placeTools makes sure that the probes and shims of all runners lie in a folder whose path stays the same between runs: a
// path that changed would defeat the runners' own caches. The folder's name is the digest of what it holds.
func placeTools(state, self string, set runners.Set) (string, error) {
	if state == "" {
		return "", errors.New("there is no state directory for tools") // a relative path would lie in the user's own folder
	}
	files, shims := set.Tools()
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n", self)
	for _, f := range files {
		fmt.Fprintf(sum, "%s %d\n%s\n", f.Path, len(f.Data), f.Data)
	}
	for _, s := range shims {
		fmt.Fprintf(sum, "%s\n", s)
	}
	dir := filepath.Join(state, "tools", hex.EncodeToString(sum.Sum(nil))[:16])
	for _, f := range files {
		if err := place(filepath.Join(dir, filepath.FromSlash(f.Path)), f.Data); err != nil {
			return "", err
		}
	}
	for _, s := range shims {
		if err := link(self, filepath.Join(dir, "bin", s)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// place writes a file unless the same bytes are there already.
func place(path, data string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == data {
		return nil
	}
	return Replace(path, []byte(data))
}

// Replace writes a file of the state directory whole, for its owner alone: a reader sees the old bytes or the new ones.
func Replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".*.tmp")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// link lets path start the factgate executable under another name.
func link(self, path string) error {
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if to, err := os.Readlink(path); err == nil && to == self {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp := fmt.Sprintf("%s.%s.tmp", path, rand.Text())
	err := os.Symlink(self, tmp)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a platform without links for everyone
		err = os.Link(self, tmp)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(tmp, path)
}
