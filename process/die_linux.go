package process

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// noCoreDump keeps the kernel from writing, or piping, an image of this process.
func noCoreDump() {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit)
	}
}

// defaultAction gives a signal its default action, behind the back of the Go runtime, which otherwise answers SIGSEGV,
// SIGABRT and the like with a trace and exit code 2. The calling thread no longer blocks it.
func defaultAction(sig syscall.Signal) {
	runtime.LockOSThread() // for good: the process ends
	var action [64]byte    // a struct sigaction of any architecture, all zero: SIG_DFL, no flags, an empty mask
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	var set unix.Sigset_t
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &set, nil)
}
