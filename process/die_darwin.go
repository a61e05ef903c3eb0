package process

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// noCoreDump keeps the kernel from writing an image of this process.
func noCoreDump() {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit)
	}
}

// defaultAction gives a signal its default action, behind the back of the Go runtime, which otherwise answers SIGSEGV,
// SIGABRT and the like with a trace and exit code 2.
func defaultAction(sig syscall.Signal) {
	var action [64]byte // a struct __sigaction, all zero: SIG_DFL, no flags, an empty mask
	_, _, _ = syscall.RawSyscall(syscall.SYS_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0)
}
