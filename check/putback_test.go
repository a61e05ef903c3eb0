//go:build unix

package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A file comes back to where nothing lies, in folders that are made for it. What lies there is never overwritten.
func TestPutIn(t *testing.T) {
	root, private := t.TempDir(), t.TempDir()
	from := func(text string) string { return put(t, filepath.Join(private, "aside-0"), text, 0o640) }
	to := filepath.Join(root, "deep", "er", "r.xml")
	for _, c := range []struct{ text, want string }{{"mine", "mine"}, {"mine", "mine"}, {"other", "mine"}} {
		path := from(c.text)
		err := putIn(path, to)
		if data, read := os.ReadFile(to); read != nil || string(data) != c.want {
			t.Errorf("%s: %q, %v", c.text, data, read)
		}
		if kept := c.text != c.want; errors.Is(err, fs.ErrExist) != kept || exists(path) != kept {
			t.Errorf("%s: kept %v, %v", c.text, exists(path), err)
		}
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
