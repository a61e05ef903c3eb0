package process

import (
	"os"
	"path"
	"strconv"
	"strings"
)

// Where the two versions of control groups keep their count, and the kernel that of the machine.
const (
	v1Mount, v1Name = "/sys/fs/cgroup/memory", "memory.oom_control"
	v2Mount, v2Name = "/sys/fs/cgroup", "memory.events"
	machineFile     = "/proc/vmstat"
)

// memory is how often the kernel had ended processes for lack of memory before a run.
type memory struct {
	file    string // where our control group's count is; "" where there is none
	group   int    // of our control group: runs at one time share it, and each is told of every such ending
	machine int    // of the whole machine
}

func memoryKills() memory {
	m := memory{file: memoryFile()}
	m.group, _ = killCount(m.file)
	m.machine, _ = killCount(machineFile)
	return m
}

// inGroup counts such endings up to now in our control group.
func (m memory) inGroup() int { return since(m.file, m.group) }

// onMachine counts those of the whole machine. They say something only of a run whose leader was killed by nobody else that
// we know of: it may have been in a group of its own.
func (m memory) onMachine() int { return since(machineFile, m.machine) }

func since(file string, before int) int {
	now, ok := killCount(file)
	if !ok {
		return 0
	}
	return max(now-before, 0)
}

// memoryFile finds the file with the count of our control group. In a container, /proc may tell the host's path while
// the mount shows our own group at its root.
func memoryFile() string {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	for _, line := range strings.Split(string(data), "\n") {
		f := strings.SplitN(line, ":", 3) // of version 2 "0::PATH", of version 1 "N:memory:PATH"
		if len(f) != 3 {
			continue
		}
		mount, name := v2Mount, v2Name
		if f[1] == "memory" {
			mount, name = v1Mount, v1Name
		} else if f[0] != "0" || f[1] != "" {
			continue
		}
		for _, file := range []string{path.Join(mount, path.Clean("/"+f[2]), name), path.Join(mount, name)} {
			if _, ok := killCount(file); ok {
				return file
			}
		}
	}
	return ""
}

// killCount reads the line "oom_kill N". That of cgroup v2 counts the groups below, too; of v1, they are added here.
func killCount(file string) (int, bool) {
	if file == "" {
		return 0, false
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	count, ok := 0, false
	for _, line := range strings.Split(string(data), "\n") {
		if n, is := strings.CutPrefix(line, "oom_kill "); is {
			count, err = strconv.Atoi(n)
			ok = err == nil
		}
	}
	dir, name := path.Split(file)
	if name != v1Name || path.Clean(dir) == v1Mount {
		return count, ok
	}
	below, _ := os.ReadDir(dir)
	for _, d := range below {
		if d.IsDir() {
			n, _ := killCount(path.Join(dir, d.Name(), name))
			count += n
		}
	}
	return count, ok
}
