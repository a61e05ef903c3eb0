//go:build unix

package config

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A FIFO without a writer must not hold factgate up, neither found nor put there between two looks.
func TestLoadFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	_, problems := Load(path)
	if got, want := Format(problems), "factgate.toml: is not a regular file\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}
