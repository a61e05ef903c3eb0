//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// machine is what rows may need of this machine and of this factgate.
type machine struct {
	bin       string
	namespace string // why there is none
}

// look finds out whether rows can be run at all.
func look(bin string) machine {
	m := machine{bin: bin}
	cmd := exec.Command("true")
	cmd.SysProcAttr = namespaces()
	if err := cmd.Run(); err != nil {
		m.namespace = "this machine lets us make no PID namespace (" + err.Error() + ")"
	}
	return m
}

// lacks says why a row cannot be run here; "" when it can.
func (m machine) lacks(r row) string {
	for _, need := range r.Needs {
		if why := m.without(need); why != "" {
			return why
		}
	}
	switch {
	case r.Script == "" && len(r.Needs) > 0:
		return strings.TrimPrefix(r.Needs[0], "command:") + " is there now, and this row has no script yet"
	case r.Script == "":
		return r.Later
	}
	return m.namespace
}

func (m machine) without(need string) string {
	name, command := strings.CutPrefix(need, "command:")
	switch {
	case command:
		if said, _ := exec.Command(filepath.Join(m.bin, "factgate"), "--help").Output(); !strings.Contains(string(said), "\n  "+name+" ") {
			return "factgate " + name + " is not there yet"
		}
	case need == "root":
		if os.Geteuid() != 0 {
			return "needs root"
		}
	case need == "memory-cgroup":
		if cgroups() == "" {
			return "needs a memory control group that it may divide"
		}
	case need == "macos" || need == "windows":
		return "not Linux: " + need
	default:
		if _, err := exec.LookPath(need); err != nil {
			return "needs " + need
		}
	}
	return ""
}

// cgroups is the folder of this process's memory control group where groups can be made below it; "" where not.
func cgroups() string {
	for _, dir := range []string{"/sys/fs/cgroup/memory"} {
		trial := filepath.Join(dir, "factgate-campaign-trial")
		if os.Mkdir(trial, 0o755) != nil {
			continue
		}
		err := os.WriteFile(filepath.Join(trial, "memory.limit_in_bytes"), []byte("67108864"), 0o644)
		os.Remove(trial)
		if err == nil {
			return dir
		}
	}
	return ""
}

func exitCode(err error) int {
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		return ended.ExitCode()
	}
	return -1
}
