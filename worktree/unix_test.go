//go:build unix

package worktree

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSpecialFiles: pipes and sockets are entered by type and never opened, which would wait for ever.
func TestSpecialFiles(t *testing.T) {
	s := newSandbox(t)
	empty := s.identify()
	if err := syscall.Mkfifo(s.at("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", s.at("s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tree := s.identify()
	if moved, _ := Compare(empty, tree, nil, nil); tree.ID == empty.ID || len(moved) != 2 {
		t.Errorf("moved %q", moved)
	}
	if len(tree.Entries) != 2 || tree.Entries[0].Type != Pipe || tree.Entries[1].Type != Socket {
		t.Errorf("entries %+v", tree.Entries)
	}
}

// TestUnreadable: what cannot be read is named, never left out. Root can read everything, so it is tried as nobody.
func TestUnreadable(t *testing.T) {
	if dir := os.Getenv("WORKTREE_TEST_UNREADABLE"); dir != "" {
		_, err := Identify(context.Background(), dir, Options{Now: time.Now})
		fmt.Println("error:", err)
		return
	}
	for _, what := range []string{"secret", "locked"} {
		s := newSandbox(t)
		s.write("a", "x")
		s.write("secret", "x")
		s.write("locked/x", "x")
		os.Chmod(s.at(what), 0)
		for dir := s.root; len(dir) > len(os.TempDir()); dir = dir[:strings.LastIndexByte(dir, '/')] {
			os.Chmod(dir, 0o755)
		}
		self, err := os.ReadFile("/proc/self/exe")
		if err != nil {
			t.Skip("needs /proc: ", err)
		}
		if err := os.WriteFile(s.at("../test"), self, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(s.at("../test"), "-test.run=^TestUnreadable$")
		cmd.Env = append(os.Environ(), "WORKTREE_TEST_UNREADABLE="+s.root, "GOCOVERDIR="+s.at(".."))
		cmd.Dir = s.root
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), what) || !strings.Contains(string(out), "permission denied") {
			t.Errorf("%s: %v, %s", what, err, out)
		}
		os.Chmod(s.at(what), 0o755)
	}
}
