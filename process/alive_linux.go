package process

import (
	"os"
	"strconv"
	"strings"
)

// Self identifies this process among all that ever run on this machine: its pid, its start time and the boot. start and
// boot are opaque; they are equal or not.
func Self() (pid int, start, boot string) {
	pid = os.Getpid()
	if p, ok := readProc(pid); ok {
		start = strconv.FormatUint(p.birth, 10)
	}
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return pid, start, strings.TrimSpace(string(id))
}

// Alive reports whether the process with that pid and start time, of the present boot, still runs.
func Alive(pid int, start string) bool {
	p, ok := readProc(pid)
	return ok && !p.dead() && strconv.FormatUint(p.birth, 10) == start
}
