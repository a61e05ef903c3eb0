package process

import (
	"os"
	"path/filepath"
	"testing"

	"factgate/facts"
)

// Needs the right to make control groups below our own, as in a container that runs as root. It is not run beside other
// tests: whose process it was that lacked memory below a control group cannot be told, and their runs would count it as
// theirs.
func TestOutOfMemory(t *testing.T) {
	if os.Getenv("FACTGATE_TEST_MEMORY") == "" {
		t.Skip("runs by itself: FACTGATE_TEST_MEMORY=1 go test -run TestOutOfMemory ./process")
	}
	file := memoryFile()
	if file == "" {
		t.Skip("no control group tells of endings for lack of memory")
	}
	limits := map[string]string{v1Name: "memory.limit_in_bytes", v2Name: "memory.max"}
	for _, where := range []string{filepath.Dir(file), v1Mount} {
		group, err := os.MkdirTemp(where, "factgate-test-")
		if err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { _ = os.Remove(group) })
		if err := os.WriteFile(filepath.Join(group, limits[filepath.Base(file)]), []byte("16000000"), 0); err != nil {
			t.Skip(err)
		}
		enter := "echo $$ > " + group + "/cgroup.procs && exec "
		for _, test := range []struct {
			script string
			want   facts.Exit
		}{
			{"sh -c '" + enter + "tail /dev/zero'; exit 0", facts.Exit{Code: 0, OOMKills: 1}},
			{enter + "tail /dev/zero", facts.Exit{Code: -1, Signal: "SIGKILL", OOMKills: 1}},
		} {
			if where == v1Mount && test.want.Code == 0 && where != filepath.Dir(file) {
				test.want.OOMKills = 0 // a worker in a group elsewhere cannot be told from other people's
			}
			exit, _ := run(t, Spec{Argv: []string{"/bin/sh", "-c", test.script}})
			same(t, exit, test.want)
		}
	}
}
