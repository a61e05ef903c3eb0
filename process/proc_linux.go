package process

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// proc is one process as /proc shows it.
type proc struct {
	pid, ppid, pgrp, sid int
	state                byte // of its first thread: R, S, D, T, Z, X, …
	threads              int
	birth                uint64 // clock ticks from boot to its start: with the pid, its identity
	comm                 string
}

// dead reports whether nothing of it runs any more. The first thread of a process can be a zombie among living ones.
func (p proc) dead() bool { return (p.state == 'Z' || p.state == 'X') && p.threads <= 1 }

// readProc reads one process's state; false when there is none.
func readProc(pid int) (proc, bool) {
	data, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return proc{}, false
	}
	// pid (comm) state ppid pgrp session …; comm may hold anything, also a closing parenthesis.
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return proc{}, false
	}
	f := strings.Fields(string(data[end+1:]))
	if len(f) < 20 {
		return proc{}, false
	}
	p := proc{pid: pid, comm: string(data[open+1 : end]), state: f[0][0]}
	p.ppid, _ = strconv.Atoi(f[1])
	p.pgrp, _ = strconv.Atoi(f[2])
	p.sid, _ = strconv.Atoi(f[3])
	p.threads, _ = strconv.Atoi(f[17])
	p.birth, err = strconv.ParseUint(f[19], 10, 64)
	return p, err == nil
}

// In the middle of an exec a process has no environment for a moment, when its parent may have gone on already, and even
// have ended. These looks bound how long it is waited for; one that has none for good is taken for unmarked.
const (
	execLooks = 20
	execPause = 500 * time.Microsecond
)

// marked reports whether a process was started with that entry in its environment.
func (p proc) marked(mark string) bool {
	if mark == "" {
		return false
	}
	data, err := os.ReadFile(procFile(p.pid, "environ"))
	for try := 0; err == nil && len(data) == 0 && try < execLooks; try++ {
		time.Sleep(execPause)
		data, err = os.ReadFile(procFile(p.pid, "environ"))
	}
	if err != nil {
		return false
	}
	return slices.ContainsFunc(bytes.Split(data, []byte{0}), func(e []byte) bool { return string(e) == mark })
}

// named reports whether a process is one of the named programs: by its executable, its command name, its argv[0]
// ("bazel(project)" is bazel), or, where an interpreter runs it, by one of its arguments.
func (p proc) named(names []string) (string, bool) {
	if len(names) == 0 {
		return "", false
	}
	exe, _ := os.Readlink(procFile(p.pid, "exe"))
	exe = filepath.Base(strings.TrimSuffix(exe, " (deleted)"))
	words := []string{exe, p.comm}
	data, _ := os.ReadFile(procFile(p.pid, "cmdline"))
	argv := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	name, _, _ := strings.Cut(filepath.Base(argv[0]), "(")
	words = append(words, name)
	if exe == "java" || exe == "node" || exe == "dotnet" || exe == "ruby" || strings.HasPrefix(exe, "python") {
		for _, a := range argv[1:] {
			words = append(words, a, filepath.Base(a))
		}
	}
	for _, n := range names {
		if slices.Contains(words, n) {
			return n, true
		}
	}
	return "", false
}

// children lists the children of a process, the dead ones included. The kernel's own list is quick and may miss one
// while others end: who must find all asks again until nothing is new.
func children(pid int) []int {
	tasks, err := os.ReadDir(procFile(pid, "task"))
	if err != nil {
		return nil
	}
	var kids []int
	for _, t := range tasks {
		list, err := os.ReadFile(procFile(pid, "task/"+t.Name()+"/children"))
		if os.IsNotExist(err) && !listsChildren() {
			return childrenByScan(pid)
		}
		for _, f := range strings.Fields(string(list)) {
			if kid, err := strconv.Atoi(f); err == nil {
				kids = append(kids, kid)
			}
		}
	}
	return kids
}

// listsChildren reports whether this kernel has such a list, for a process that may have ended meanwhile.
func listsChildren() bool {
	self := os.Getpid()
	_, err := os.Stat(procFile(self, "task/"+strconv.Itoa(self)+"/children"))
	return err == nil
}

// childrenByScan finds them by looking at every process.
func childrenByScan(parent int) (kids []int) {
	for _, p := range everyProcess() {
		if p.ppid == parent {
			kids = append(kids, p.pid)
		}
	}
	return kids
}

func procFile(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }
