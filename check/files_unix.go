//go:build unix

package check

import (
	"fmt"
	"io/fs"
	"syscall"
)

// noBlock keeps the opening of a FIFO from hanging.
const noBlock = syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_CLOEXEC

func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// foreign reports whether a file belongs to another user than we are, or root: that one could write our files just as well.
func foreign(info fs.FileInfo, us int) (user int, yes bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	user = int(st.Uid)
	return user, user != us && user != 0 && us != 0
}

// identity names a file and its state, as far as stat tells.
func identity(path string, info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
	}
	return fmt.Sprintf("%s %d %d %d %d %d", path, st.Dev, st.Ino, info.Size(), info.ModTime().UnixNano(), changed(st))
}
