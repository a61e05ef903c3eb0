package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen lets a pipe hold more than the usual 64 KiB, so that its two ends take turns less often. Where a user has many
// large pipes the kernel refuses, and all is as usual.
func widen(pipe *os.File, size int) { _, _ = unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, size) }
