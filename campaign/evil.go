//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// evilTool plays a test program: its arguments say, in order, what it does. It ends with 0 after the last one.
func evilTool(args []string) int {
	for _, arg := range args {
		verb, value, _ := strings.Cut(arg, "=")
		act, ok := acts()[verb]
		if !ok {
			fmt.Fprintf(os.Stderr, "evil: unknown act %q\n", arg)
			return 99
		}
		if err := act(value); err != nil {
			fmt.Fprintf(os.Stderr, "evil: %s: %v\n", arg, err)
			return 98
		}
	}
	return 0
}

// acts are what a test program can do.
func acts() map[string]func(string) error {
	return map[string]func(string) error{
		"green": func(v string) error { return results(v, 0) }, // PATH[:N] results of N tests that passed
		"red":   func(v string) error { return results(v, 1) }, // the same, and the last one failed
		"say":   func(v string) error { return say(v + "\n") }, //
		"flood": flood,                                         // BYTES[:LINE] of x; a line has LINE bytes, 0 is none at all
		"bytes": bytesOut,                                      // N times all 256 bytes
		"exit":  func(v string) error { return exitWith(v) },   //
		"kill":  killSelf,                                      // the number of a signal
		"stop":  func(string) error { return self(syscall.SIGSTOP) },
		"hang":  func(string) error { select {} },
		"ms": func(v string) error {
			n, err := strconv.Atoi(v)
			time.Sleep(time.Duration(n) * time.Millisecond)
			return err
		},
		"deaf": func(string) error { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP); return nil },
		"polite": func(string) error {
			signal.Notify(term(), syscall.SIGTERM, syscall.SIGINT)
			<-term()
			os.Exit(0)
			return nil
		},
		"ints":    countInts,                                                                               // PATH: writes down each SIGINT, and ends half a second after the first
		"child":   func(v string) error { return spawn(v, false) },                                         // ACTS joined by +: left behind, with our output
		"session": func(v string) error { return spawn(v, true) },                                          // the same in a session of its own, with no output
		"daemon":  func(v string) error { return spawn("session="+strings.ReplaceAll(v, "+", ","), true) }, // forked twice; its acts are joined by +
		"run":     func(v string) error { os.Exit(evilTool(strings.Split(v, ","))); return nil },
		"flee":    flee, // SECONDS: starts itself anew in new sessions, over and over
		"touch":   func(v string) error { return os.WriteFile(v, nil, 0o600) },
		"wait":    func(v string) error { return awaitTool([]string{v}) },
		"memory":  memory, // MIB to fill
		"closed":  func(string) error { os.Stdout.Close(); return os.Stderr.Close() },
		"again":   rewrite, // PATH: writes the same bytes over and over
	}
}

var terms = make(chan os.Signal, 4)

func term() chan os.Signal { return terms }

func say(text string) error {
	_, err := io.WriteString(os.Stdout, text)
	return err
}

func self(s syscall.Signal) error { return syscall.Kill(os.Getpid(), s) }

func exitWith(v string) error {
	n, err := strconv.Atoi(v)
	if err == nil {
		os.Exit(n)
	}
	return err
}

// killSelf ends this process by a signal with its default action, which the Go runtime takes away from some.
func killSelf(v string) error {
	n, err := strconv.Atoi(v)
	if err != nil {
		return err
	}
	return syscall.Exec("/bin/sh", []string{"sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$; sleep 5", n)}, os.Environ())
}

// results writes JUnit XML with as many tests as PATH:N says, the last ones failing.
func results(v string, failing int) error {
	path, count, ok := strings.Cut(v, ":")
	n := 2
	if ok {
		var err error
		if n, err = strconv.Atoi(count); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<testsuite name=\"s\" tests=\"%d\" failures=\"%d\">\n", n, failing)
	for i := range n {
		if i >= n-failing {
			fmt.Fprintf(&b, "<testcase classname=\"c\" name=\"t%d\"><failure message=\"no\">trace</failure></testcase>\n", i)
			continue
		}
		fmt.Fprintf(&b, "<testcase classname=\"c\" name=\"t%d\"/>\n", i)
	}
	b.WriteString("</testsuite>\n")
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

// flood prints bytes until they are all out or nobody takes them.
func flood(v string) error {
	count, line, _ := strings.Cut(v, ":")
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		return err
	}
	block := []byte(strings.Repeat("x", 1<<16))
	if length, _ := strconv.Atoi(line); length > 0 {
		for i := length - 1; i < len(block); i += length {
			block[i] = '\n'
		}
	}
	for n > 0 {
		k, err := os.Stdout.Write(block[:min(n, int64(len(block)))])
		if err != nil {
			return err
		}
		n -= int64(k)
	}
	return nil
}

func bytesOut(v string) error {
	n, err := strconv.Atoi(v)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for range n {
		if _, err := os.Stdout.Write(all); err != nil {
			return err
		}
	}
	return err
}

func countInts(path string) error {
	c := make(chan os.Signal, 16)
	signal.Notify(c, syscall.SIGINT)
	add := func(line string) error {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString(line + "\n")
		return err
	}
	if err := add("ready"); err != nil {
		return err
	}
	<-c
	for over := time.After(500 * time.Millisecond); ; {
		if err := add("interrupt"); err != nil {
			return err
		}
		select {
		case <-c:
		case <-over:
			return nil
		}
	}
}

// spawn starts a process with acts of its own and does not wait for it.
func spawn(v string, session bool) error {
	cmd := exec.Command("evil", strings.Split(v, "+")...)
	if session {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	} else {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	return cmd.Start()
}

// flee is a moving target: each of its processes lives for a moment only, in a session of its own, and starts the next.
func flee(v string) error {
	seconds, err := strconv.ParseFloat(v, 64)
	if err != nil || seconds <= 0 {
		return err
	}
	began := time.Now()
	time.Sleep(time.Millisecond)
	cmd := exec.Command("evil", fmt.Sprintf("flee=%.3f", seconds-time.Since(began).Seconds()-0.002))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

func memory(v string) error {
	n, err := strconv.Atoi(v)
	var kept [][]byte
	for range n {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		kept = append(kept, block)
	}
	if len(kept) != n {
		return fmt.Errorf("not filled")
	}
	return err
}

// rewrite writes a file's own bytes again and again.
func rewrite(path string) error {
	data, err := os.ReadFile(path)
	for err == nil {
		if err = os.WriteFile(path+".new", data, 0o600); err == nil {
			err = os.Rename(path+".new", path)
		}
		time.Sleep(time.Millisecond)
	}
	return err
}
