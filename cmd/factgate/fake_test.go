//go:build unix

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
		act, ok := acts[verb]
		if !ok {
			fmt.Fprintf(os.Stderr, "fake: unknown act %q\n", arg)
			os.Exit(99)
		}
		act(value)
	}
}

// acts are what fake can do.
var acts = map[string]func(value string){
	"say":   func(v string) { fmt.Println(v) },
	"exit":  func(v string) { os.Exit(number(v)) },
	"kill":  func(v string) { must(syscall.Kill(os.Getpid(), syscall.Signal(number(v)))); select {} },
	"write": write, // PATH:TEXT
	"green": func(v string) {
		must(os.WriteFile(v, []byte(`<testsuites tests="2"><testsuite name="s" tests="2" failures="0"><testcase classname="c" name="a"/><testcase classname="c" name="b"/></testsuite></testsuites>`), 0o600))
	},
	"red": func(v string) {
		must(os.WriteFile(v, []byte(`<testsuites tests="2"><testsuite name="s" tests="2" failures="1"><testcase classname="c" name="a"/><testcase classname="c" name="b" file="b.py" line="7"><failure message="want 3, got 4">trace</failure></testcase></testsuite></testsuites>`), 0o600))
	},
	"once": func(v string) { // creates a file, and exits with 1 when it was there
		f, err := os.OpenFile(v, os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			os.Exit(1)
		}
		must(f.Close())
	},
	"hang": func(string) { select {} },
	"deaf": func(string) { // ends with 0 on TERM and INT
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		<-c
		os.Exit(0)
	},
	"child": func(v string) { // leaves a process behind that holds stdout
		cmd := exec.Command(os.Args[0], strings.Split(v, "+")...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		must(cmd.Start())
	},
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
}

func write(v string) {
	path, text, _ := strings.Cut(v, ":")
	must(os.WriteFile(path, []byte(text), 0o600))
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
