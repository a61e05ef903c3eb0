package process

import (
	"os"
	"path"
	"strconv"
	"strings"
)

// Where the two versions of control groups keep the count.
const (
	v1Mount, v1Name = "/sys/fs/cgroup/memory", "memory.oom_control"
	v2Mount, v2Name = "/sys/fs/cgroup", "memory.events"
)

// memory is how often the kernel ended a process of our control group for lack of memory, before a run. Runs at one time
// share the group, and each is told of every such ending.
type memory struct {
	file   string // where the count is read; "" where there is none
	before int
}

func memoryKills() memory {
	file := memoryFile("/proc/self/cgroup", true)
	n, _ := killCount(file)
	return memory{file, n}
}

// since counts such endings up to now. elsewhere is the count of the group that the leader moved to, if it did: it says
// something only of a leader that was killed. Call it before the leader is reaped.
func (m memory) since(c *child) (kills, elsewhere int) {
	if now, ok := killCount(m.file); ok && now > m.before {
		kills = now - m.before
	}
	if own := memoryFile(procFile(c.pid, "cgroup"), false); own != m.file {
		elsewhere, _ = killCount(own)
	}
	return kills, elsewhere
}

// memoryFile finds the file with the count for a /proc/PID/cgroup: of cgroup v2 "0::PATH", of v1 "N:memory:PATH". In a
// container the path may be the host's while the mount shows our own group at its root.
func memoryFile(cgroups string, orRoot bool) string {
	data, err := os.ReadFile(cgroups)
	if err != nil {
		return ""
	}
	for _, line := range strings.Split(string(data), "\n") {
		f := strings.SplitN(line, ":", 3)
		if len(f) != 3 {
			continue
		}
		mount, name := "", ""
		switch {
		case f[0] == "0" && f[1] == "":
			mount, name = v2Mount, v2Name
		case f[1] == "memory":
			mount, name = v1Mount, v1Name
		default:
			continue
		}
		file := path.Join(mount, path.Clean("/"+f[2]), name)
		if _, ok := killCount(file); ok {
			return file
		}
		if file = path.Join(mount, name); orRoot {
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
