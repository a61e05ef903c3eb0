//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// patience is how long a script waits for something that must happen.
const patience = 20 * time.Second

// background is a program that a script started and that runs beside it.
type background struct {
	cmd  *exec.Cmd
	tty  *os.File // our end of its terminal; nil when it has none
	out  string   // path of what it printed
	done chan struct{}
}

// running are the background programs of one script by name.
type running map[string]*background

type runningKey struct{}

func programs(ts *testscript.TestScript) running { return ts.Value(runningKey{}).(running) }

// begin runs a program beside the script: begin NAME [-tty] program args... What it prints is in $OUTSIDE/NAME.out.
func begin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: begin NAME [-tty] program [args...]")
	}
	name, args := args[0], args[1:]
	tty := args[0] == "-tty"
	if tty {
		args = args[1:]
	}
	b := &background{done: make(chan struct{})}
	out, err := os.Create(filepath.Join(ts.Getenv("OUTSIDE"), name+".out"))
	ts.Check(err)
	b.out = out.Name()
	path := args[0]
	if !strings.Contains(path, "/") {
		path = lookPath(ts, path)
	}
	b.cmd = exec.Command(path, args[1:]...)
	b.cmd.Args[0] = args[0]
	b.cmd.Dir, b.cmd.Env = ts.MkAbs("."), scriptEnv(ts)
	copied := make(chan struct{})
	if tty {
		var far *os.File
		b.tty, far, err = openTerminal(100, 30)
		ts.Check(err)
		b.cmd.Stdin, b.cmd.Stdout, b.cmd.Stderr = far, far, far
		b.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		ts.Check(b.cmd.Start())
		far.Close()
		go func() {
			defer close(copied)
			buf := make([]byte, 4096)
			for {
				n, err := b.tty.Read(buf)
				out.Write(buf[:n])
				if err != nil {
					return
				}
			}
		}()
	} else {
		b.cmd.Stdout, b.cmd.Stderr = out, out
		ts.Check(b.cmd.Start())
		close(copied)
	}
	go func() {
		b.cmd.Wait() // its end is read from ProcessState
		<-copied
		out.Close()
		close(b.done)
	}()
	programs(ts)[name] = b
	ts.Defer(func() {
		b.cmd.Process.Kill()
		<-b.done
	})
}

// scriptEnv is the environment of the script: the variables that setup set, as they are now.
func scriptEnv(ts *testscript.TestScript) (env []string) {
	for _, v := range ts.Value(envKey{}).(*testscript.Env).Vars {
		name, _, _ := strings.Cut(v, "=")
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

type envKey struct{}

func lookPath(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return filepath.Join(dir, name)
		}
	}
	ts.Fatalf("%s is not on the script's PATH", name)
	return ""
}

// openTerminal makes a terminal of the given size and returns our end and the program's.
func openTerminal(columns, rows uint16) (near, far *os.File, err error) {
	near, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(near.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(near.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(near.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
	}
	if err == nil {
		far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		near.Close()
	}
	return near, far, err
}

// signalTo sends a signal to a background program: signal INT NAME; typed keys come by keys NAME ^C.
func signalTo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: signal INT NAME")
	}
	sig := unix.SignalNum("SIG" + args[0])
	if sig == 0 {
		ts.Fatalf("no signal %s", args[0])
	}
	ts.Check(known(ts, args[1]).cmd.Process.Signal(sig))
}

// keys types on the terminal of a background program: keys NAME ^C. "close" takes the terminal away.
func keys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || known(ts, args[0]).tty == nil {
		ts.Fatalf("usage: keys NAME ^C|close, and NAME was begun with -tty")
	}
	b := known(ts, args[0])
	switch args[1] {
	case "close":
		ts.Check(b.tty.Close())
	case "^C":
		_, err := b.tty.Write([]byte{3})
		ts.Check(err)
	default:
		ts.Fatalf("unknown key %s", args[1])
	}
}

func known(ts *testscript.TestScript, name string) *background {
	b := programs(ts)[name]
	if b == nil {
		ts.Fatalf("nothing was begun as %q", name)
	}
	return b
}

// ended waits for a background program and pins its exit code: ended 130 NAME. What it printed is then in $OUTSIDE/NAME.out.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ended CODE NAME")
	}
	b := known(ts, args[1])
	select {
	case <-b.done:
	case <-time.After(patience):
		ts.Fatalf("%s has not ended after %s", args[1], patience)
	}
	data, err := os.ReadFile(b.out)
	ts.Check(err)
	ts.Logf("[%s]\n%s", args[1], data)
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := b.cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("%s: exit code %d (%s), want %d", args[1], got, b.cmd.ProcessState, want)
	}
}

// until waits until a file is there and, with a pattern, until it has a line that matches: until FILE [REGEXP].
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: until FILE [REGEXP]")
	}
	pattern := "(?m)"
	if len(args) == 2 {
		pattern += args[1]
	}
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && re.Match(data) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s: not after %s (%v): %s", strings.Join(args, " "), patience, err, data)
		}
	}
}

// gone holds that no process is left that this script started, directly or not, and none whose command line has a text.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	ts.Check(err)
	mine := []byte("WORK=" + ts.Getenv("WORK") + "\x00")
	for _, dir := range dirs {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(line) == 0 {
			continue // it ended meanwhile
		}
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil && errors.Is(err, os.ErrNotExist) {
			continue
		}
		words := strings.ReplaceAll(string(line), "\x00", " ")
		if bytes.Contains(append(env, 0), mine) || len(args) > 0 && strings.Contains(words, args[0]) {
			if neg {
				return
			}
			ts.Fatalf("still alive: %s: %s", filepath.Base(dir), words)
		}
	}
	if neg {
		ts.Fatalf("nothing is alive")
	}
}

// lineCount holds how many lines of a file match: count 2 FILE REGEXP.
func lineCount(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: count N FILE REGEXP")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	re := regexp.MustCompile(args[2])
	got := 0
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if re.MatchString(strings.TrimSuffix(line, "\n")) {
			got++
		}
	}
	if got != want {
		ts.Fatalf("%d lines match %s, want %d", got, args[2], want)
	}
}

// plain runs a program without the powers of root, under root's name: what is not allowed to its owner stays closed.
func plain() {
	args := os.Args[1:]
	if os.Geteuid() == 0 {
		args = append([]string{"setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"}, args...)
	}
	path, err := exec.LookPath(args[0])
	must(err)
	must(syscall.Exec(path, args, os.Environ()))
}
