//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// fake plays a test program: its arguments say, in order, what it does. It exits with 0 at their end.
func fake() {
	for _, arg := range os.Args[1:] {
		verb, value, _ := strings.Cut(arg, "=")
		if verb == "unless" { // PATH:ACT, for where the file is not there
			path, rest, _ := strings.Cut(value, ":")
			if _, err := os.Stat(path); err == nil {
				continue
			}
			verb, value, _ = strings.Cut(rest, "=")
		}
		act, ok := acts[verb]
		if !ok {
			fmt.Fprintf(os.Stderr, "fake: unknown act %q\n", arg)
			os.Exit(99)
		}
		act(value)
	}
}

// Results in which all passed, and in which one failed.
const (
	greenResults = `<testsuites tests="2"><testsuite name="s" tests="2" failures="0"><testcase classname="c" name="a"/><testcase classname="c" name="b"/></testsuite></testsuites>`
	redResults   = `<testsuites tests="2"><testsuite name="s" tests="2" failures="1"><testcase classname="c" name="a"/><testcase classname="c" name="b" file="b.py" line="7"><failure message="want 3, got 4">trace</failure></testcase></testsuite></testsuites>`
)

// acts are what fake can do.
var acts = map[string]func(value string){
	"say":    func(v string) { fmt.Println(v) },
	"print":  func(v string) { fmt.Print(v) },
	"lines":  func(v string) { lines(number(v)) },
	"exit":   func(v string) { os.Exit(number(v)) },
	"kill":   func(v string) { must(syscall.Kill(os.Getpid(), syscall.Signal(number(v)))); select {} },
	"stop":   func(string) { must(syscall.Kill(os.Getpid(), syscall.SIGSTOP)) },
	"write":  write, // PATH:TEXT
	"append": func(v string) { path, text, _ := strings.Cut(v, ":"); add(path, text+"\n") },
	"green":  func(v string) { must(os.WriteFile(v, []byte(greenResults), 0o600)) },
	"red":    func(v string) { must(os.WriteFile(v, []byte(redResults), 0o600)) },
	"once": func(v string) { // creates a file, and exits with 1 when it was there
		f, err := os.OpenFile(v, os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			os.Exit(1)
		}
		must(f.Close())
	},
	"again":   func(v string) { data, err := os.ReadFile(v); must(err); must(os.WriteFile(v, data, 0o600)) }, // the same bytes
	"mkfifo":  func(v string) { must(syscall.Mkfifo(v, 0o600)) },
	"mkdir":   func(v string) { must(os.MkdirAll(v, 0o700)) },
	"symlink": func(v string) { to, path, _ := strings.Cut(v, ":"); must(os.Symlink(to, path)) },
	"link":    func(v string) { to, path, _ := strings.Cut(v, ":"); must(os.Link(to, path)) },
	"rename":  func(v string) { from, to, _ := strings.Cut(v, ":"); must(os.Rename(from, to)) },
	"chmod": func(v string) {
		mode, path, _ := strings.Cut(v, ":")
		n, err := strconv.ParseUint(mode, 8, 32)
		must(err)
		must(os.Chmod(path, os.FileMode(n)))
	},
	"hang": func(string) { select {} },
	"deaf": func(string) { // ends with 0 on TERM and INT
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		<-c
		os.Exit(0)
	},
	"stubborn": func(string) { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) },
	"interrupts": func(v string) { // writes down each SIGINT, and ends half a second after the first
		c := make(chan os.Signal, 16)
		signal.Notify(c, syscall.SIGINT)
		add(v, "ready\n")
		<-c
		add(v, "interrupt\n")
		for over := time.After(500 * time.Millisecond); ; {
			select {
			case <-c:
				add(v, "interrupt\n")
			case <-over:
				os.Exit(0)
			}
		}
	},
	"child":  func(v string) { child(v, false) }, // leaves a process behind that holds stdout
	"daemon": func(v string) { child(v, true) },  // leaves one behind in a session of its own
	"wait": func(v string) { // until a file is there
		for {
			if _, err := os.Stat(v); err == nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	},
	"ms":  func(v string) { time.Sleep(time.Duration(number(v)) * time.Millisecond) },
	"env": func(v string) { fmt.Printf("%s=%s\n", v, os.Getenv(v)) },
	"fds": func(string) {
		entries, err := os.ReadDir("/proc/self/fd")
		must(err)
		for _, e := range entries {
			if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && !strings.HasPrefix(to, "anon_inode") {
				fmt.Printf("fd %s %s\n", e.Name(), to)
			}
		}
	},
}

func write(v string) {
	path, text, _ := strings.Cut(v, ":")
	must(os.WriteFile(path, []byte(text), 0o600))
}

// add appends to a file in one write, which other processes may do at the same time.
func add(path, text string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must(err)
	_, err = f.WriteString(text)
	must(err)
	must(f.Close())
}

// lines prints numbered lines until nobody reads them any more.
func lines(n int) {
	for i := range n {
		if _, err := fmt.Printf("line %d\n", i+1); err != nil {
			return
		}
	}
}

// child starts a fake with the acts that v joins with "+".
func child(v string, session bool) {
	cmd := exec.Command(os.Args[0], strings.Split(v, "+")...)
	if session {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	} else {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	must(cmd.Start())
}

func number(v string) int {
	n, err := strconv.Atoi(v)
	must(err)
	return n
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err)
		os.Exit(98)
	}
}
