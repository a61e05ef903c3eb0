package process

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// again is where this executable is started from once more: the very file that this process came from, though another one
// may lie in its place by now.
func again(self string) string {
	if own, err := os.Executable(); err == nil && own == self {
		return "/proc/self/exe"
	}
	return self
}

// nameProcess gives a supervisor a name in lists of processes; it would be that of the link that it was started by.
func nameProcess() {
	name := [16]byte{}
	copy(name[:15], supervisorName)
	_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&name)), 0, 0, 0)
}

// sweepAfter ends what a supervisor left when it died: it has come to us. The leader died with it.
func (c *child) sweepAfter(_ int, daemons []string, limit time.Duration) (strays, left int, alone []string) {
	return c.sweep(daemons, limit)
}
