//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// insideWord tells this binary that it is the first process of a row's namespace.
const insideWord = "inside-the-namespace"

// namespaces are those of a row: of processes, so that nothing can leave, and of mounts, so that file systems that it
// mounts go with it. Without the rights of root they need a namespace of users, too.
func namespaces() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// inside keeps a namespace: it runs the script, takes in orphans as any init does, counts who is still alive 2 s after the
// script's end, and writes down what it saw. Its own end is the end of all others.
func inside(args []string) int {
	out, script := args[0], args[1]
	if err := proc(); err != nil {
		fmt.Fprintln(os.Stderr, "campaign: /proc of the namespace:", err)
		return 1
	}
	cmd := exec.Command("sh", "-eu", script)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
		return 1
	}
	e := end{Code: -1}
	deadline := time.Now().Add(hung)
	for ended := false; !ended; {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case pid == cmd.Process.Pid:
			ended, e.Code = true, status.ExitStatus()
		case pid > 0 || err == syscall.EINTR:
		case time.Now().After(deadline):
			ended, e.Hung = true, true
		default:
			time.Sleep(2 * time.Millisecond)
		}
	}
	e.Survivors = survivors(2*time.Second, os.Getpid())
	text, err := json.Marshal(e)
	if err == nil {
		err = os.WriteFile(filepath.Join(out, "end.json"), text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
		return 1
	}
	return 0
}

// proc mounts the namespace's own /proc, and makes mounts private to it.
func proc() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	return syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, "")
}

// survivors lists the processes that are alive when the time is over, or nothing as soon as there are none, but for those
// that are named.
func survivors(patience time.Duration, but ...int) []string {
	for over := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		for { // as the first process of a namespace: take in what ended
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 && err != syscall.EINTR {
				break
			}
		}
		alive := living(but)
		if len(alive) == 0 || time.Now().After(over) {
			return alive
		}
	}
}

// living lists the command lines of all processes that are not zombies.
func living(but []int) (lines []string) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return []string{err.Error()}
	}
	skip := map[int]bool{}
	for _, pid := range but {
		skip[pid] = true
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || skip[pid] {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), ") ")
		if rest == "" || strings.ContainsAny(rest[:1], "ZX") {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		text := strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
		lines = append(lines, fmt.Sprintf("%d %.120s", pid, text))
	}
	return lines
}

// ancestors are a process and those above it.
func ancestors(pid int) []int {
	var all []int
	for pid > 0 {
		all = append(all, pid)
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			break
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')'):]))
		if len(fields) < 3 {
			break
		}
		pid, _ = strconv.Atoi(fields[2])
	}
	return all
}
