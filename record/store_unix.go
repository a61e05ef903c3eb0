//go:build unix

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// noWait keeps an open from waiting for the other end of a named pipe that was put in a file's place.
const noWait = syscall.O_NONBLOCK

func checkOwner(dir string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return &DirError{dir, fmt.Sprintf("it belongs to user %d, not to you (%d)", st.Uid, os.Geteuid()),
			"name a directory of your own in FACTGATE_STATE_DIR"}
	}
	if info.Mode().Perm()&0o022 != 0 {
		return &DirError{dir, fmt.Sprintf("others may write to it (mode %04o)", info.Mode().Perm()), "chmod 700 " + dir}
	}
	return nil
}

// private refuses a secret that others can read.
func private(info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others may read it (mode %04o); chmod 600", info.Mode().Perm())
	}
	return nil
}

// syncDir makes a new name in a directory last. A file system that cannot do that is no reason to fail.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// tryLock takes an exclusive lock on the open file, if it is free. Files are opened close-on-exec, so no child keeps it.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}
