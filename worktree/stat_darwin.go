package worktree

import (
	"io/fs"
	"syscall"
)

// trustStat says that this system's stat fields show every change of a file: ctime cannot be set back.
const trustStat = true

const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func statOf(info fs.FileInfo) stat {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stat{size: info.Size()}
	}
	return stat{
		dev: uint64(st.Dev), ino: st.Ino, mode: uint32(st.Mode), size: st.Size,
		mtime: st.Mtimespec.Nano(), ctime: st.Ctimespec.Nano(),
	}
}
