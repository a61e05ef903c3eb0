//go:build linux

package process

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"factgate/facts"
)

// The stand-in ends exactly like the program that it stands for.
func TestPassAndDie(t *testing.T) {
	for _, how := range []string{"inherit", "writer", "writers"} {
		for _, code := range []int{0, 1, 2, 101, 126, 127, 137, 255} {
			exit, log := run(t, Spec{Argv: helperArgv("pass", how, "/bin/sh", "-c", fmt.Sprintf("cat; echo out; echo err >&2; exit %d", code))})
			same(t, exit, facts.Exit{Code: code})
			if strings.Count(log, "out\n") != 1 || strings.Count(log, "err\n") != 1 {
				t.Errorf("log %q", log)
			}
		}
	}
	for _, sig := range []string{"HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "XCPU", "SYS"} {
		exit, log := run(t, Spec{Argv: helperArgv("pass", "inherit", "/bin/sh", "-c", "ulimit -c 0; kill -"+sig+" $$")})
		same(t, exit, facts.Exit{Code: -1, Signal: "SIG" + sig})
		if log != "" {
			t.Errorf("%s: log %q", sig, log)
		}
	}
	exit, _ := run(t, Spec{Argv: helper("pass inherit /no/such")})
	same(t, exit, facts.Exit{Code: 127})
	exit, _ = run(t, Spec{Argv: helper("pass inherit /")})
	same(t, exit, facts.Exit{Code: 126})
}

func TestExecInPlace(t *testing.T) {
	exit, log := run(t, Spec{Argv: helperArgv("exec", "sh", "-c", "echo $0; exit 9", "name")})
	same(t, exit, facts.Exit{Code: 9})
	if log != "name\n" {
		t.Errorf("log %q", log)
	}
}

// Descriptors that the program would have inherited go through: a make's job server, for one.
func TestPassKeepsDescriptors(t *testing.T) {
	for _, how := range []string{"pass inherit", "pass writer", "exec"} {
		argv := append(helper(how), "/bin/sh", "-c", "echo through >&7")
		out, err := exec.Command("/bin/sh", append([]string{"-c", `exec 7>&1; exec "$@"`, "sh"}, argv...)...).CombinedOutput()
		if err != nil || string(out) != "through\n" {
			t.Errorf("%s: %q, %v", how, out, err)
		}
	}
}

// stand starts a stand-in for a helper in a group of its own, and returns it with the pid of the helper and what is
// printed after that.
func stand(t *testing.T, steps string) (shim *exec.Cmd, pid int, rest *bufio.Reader) {
	t.Helper()
	argv := append(helper("pass writer"), helper("count SIGINT count SIGTERM "+steps+" pid hang")...)
	shim = exec.Command(argv[0], argv[1:]...)
	shim.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := shim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-shim.Process.Pid, syscall.SIGKILL) })
	rest = bufio.NewReader(out)
	line, err := rest.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "pid ")))
	if err != nil {
		t.Fatal(err)
	}
	return shim, pid, rest
}

// A signal to the stand-in alone is passed on; both kinds reach the program, which here lives on, and is then killed.
func TestPassForwards(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGTERM} {
		shim, pid, rest := stand(t, "")
		if err := shim.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if line, err := rest.ReadString('\n'); err != nil || line != "got "+signalName(sig)+"\n" {
			t.Errorf("%q, %v", line, err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = shim.Wait()
		if status := shim.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL {
			t.Errorf("the stand-in's end: %v", shim.ProcessState)
		}
	}
}

// A signal to the whole group does not end the stand-in before the program, and reaches a program that then ends once.
func TestPassInAGroup(t *testing.T) {
	shim, _, rest := stand(t, "exit-on SIGHUP 5")
	if err := syscall.Kill(-shim.Process.Pid, syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(rest)
	if err != nil || len(text) > 0 {
		t.Errorf("%q, %v", text, err)
	}
	_ = shim.Wait()
	if code := shim.ProcessState.ExitCode(); code != 5 {
		t.Errorf("exit %d, want 5", code)
	}
}

// A child of the program that holds the output does not hold up the stand-in.
func TestPassDoesNotWaitForOthers(t *testing.T) {
	exit, log := run(t, Spec{Argv: helperArgv("pass", "writer", "/bin/sh", "-c", "sleep 600 & head -c 300000 /dev/zero; echo last; exit 3"), Head: 1 << 20})
	same(t, exit, facts.Exit{Code: 3, Strays: 1})
	if len(log) != 300005 || !strings.HasSuffix(log, "last\n") {
		t.Errorf("%d bytes", len(log))
	}
}

func TestPassToAWriterThatFails(t *testing.T) {
	exit := Pass(PassSpec{Argv: []string{"/usr/bin/yes"}, Env: os.Environ(), Stdout: &failing{}})
	same(t, exit, facts.Exit{Code: -1, Signal: "SIGPIPE"})
	var out bytes.Buffer
	exit = Pass(PassSpec{Path: "/bin/sh", Argv: []string{"a-name", "-c", "echo $0"}, Env: os.Environ(), Stdout: &out})
	same(t, exit, facts.Exit{})
	if out.String() != "a-name\n" {
		t.Errorf("%q", out.String())
	}
}

// Whoever does more than one thing in a program's place must know that it was told to stop.
func TestPassSaysThatItWasStopped(t *testing.T) {
	for _, how := range []string{"kill -HUP $PPID; exit 5", "kill -HUP $PPID; sleep .1; exit 5"} {
		exit := Pass(PassSpec{Argv: []string{"/bin/sh", "-c", how}, Env: os.Environ()})
		same(t, exit, facts.Exit{Code: 5, Cancelled: "SIGHUP"})
	}
}

func TestAlive(t *testing.T) {
	pid, start, boot := Self()
	if pid != os.Getpid() || start == "" || boot == "" || !Alive(pid, start) {
		t.Errorf("%d %q %q", pid, start, boot)
	}
	if Alive(pid, start+"0") || Alive(pid, "") || Alive(1<<22+1, start) {
		t.Error("another one is said to be alive")
	}
	cmd := exec.Command("/bin/sh", "-c", "read x")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p, ok := readProc(cmd.Process.Pid)
	if !ok || !Alive(p.pid, strconv.FormatUint(p.birth, 10)) {
		t.Errorf("%+v should be alive", p)
	}
	in.Close()
	if err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if Alive(p.pid, strconv.FormatUint(p.birth, 10)) {
		t.Error("a zombie is said to be alive")
	}
	_ = cmd.Wait()
}
