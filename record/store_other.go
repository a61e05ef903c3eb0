//go:build !unix

package record

import (
	"errors"
	"io/fs"
	"os"
)

const noWait = 0

// checkOwner: access lists are not read here; the user's own profile folder is private by default.
func checkOwner(string, fs.FileInfo) error { return nil }

func private(fs.FileInfo) error { return nil }

// syncDir: directories cannot be synced here.
func syncDir(string) error { return nil }

func tryLock(*os.File) (bool, error) {
	return false, errors.New("locks between processes are not supported on this system")
}
