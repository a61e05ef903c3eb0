package process

import (
	"os"
	"strconv"

	"golang.org/x/sys/windows"
)

// Self identifies this process: its pid and its start time. boot is empty, since the start time is a date.
func Self() (pid int, start, boot string) {
	pid = os.Getpid()
	return pid, startOf(pid), ""
}

// Alive reports whether the process with that pid and start time still runs.
func Alive(pid int, start string) bool { return start != "" && startOf(pid) == start }

// startOf is the start time of a living process, or "".
func startOf(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	if event, err := windows.WaitForSingleObject(h, 0); err != nil || event == windows.WAIT_OBJECT_0 {
		return "" // it has ended, and somebody holds its handle
	}
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}
