//go:build !linux && !darwin

package worktree

import "io/fs"

// trustStat says that this system's stat fields show every change of a file. Here they lack a change time that cannot
// be set back: every file is read each time.
const trustStat = false

const openFlags = 0

func statOf(info fs.FileInfo) stat {
	mode := uint32(0)
	if info.Mode().Perm()&0o100 != 0 {
		mode = 0o100
	}
	return stat{mode: mode, size: info.Size(), mtime: info.ModTime().UnixNano()}
}
