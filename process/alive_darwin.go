package process

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Self identifies this process among all that ever run on this machine: its pid, its start time and the boot. start and
// boot are opaque; they are equal or not.
func Self() (pid int, start, boot string) {
	pid = os.Getpid()
	boot, _ = unix.Sysctl("kern.bootsessionuuid")
	return pid, startOf(pid), boot
}

// Alive reports whether the process with that pid and start time, of the present boot, still runs.
func Alive(pid int, start string) bool { return start != "" && startOf(pid) == start }

// startOf is the start time of a living process, or "".
func startOf(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return ""
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
}
