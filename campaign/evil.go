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

// acts are what a test program can do. Rows have sh for the rest.
func acts() map[string]func(string) error {
	return map[string]func(string) error{
		// PATH[:N]: results of N tests, all green, or the last one red.
		"green": func(v string) error { return results(v, 0) },
		"red":   func(v string) error { return results(v, 1) },
		// BYTES[:LINE] of x; a line has LINE bytes, and without it there is none.
		"flood": flood,
		// N times all 256 bytes.
		"bytes": bytesOut,
		"touch": func(v string) error { return os.WriteFile(v, nil, 0o600) },
		// PATH: writes the same bytes over and over.
		"again": rewrite,
		"ms": func(v string) error {
			n, err := strconv.Atoi(v)
			time.Sleep(time.Duration(n) * time.Millisecond)
			return err
		},
		"hang": func(string) error { time.Sleep(time.Hour); return nil },
		// Does not hear the signals that ask it to end, or ends with 0 when one comes.
		"deaf":   func(string) error { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP); return nil },
		"polite": polite,
		// PATH: writes down each SIGINT, and ends half a second after the first.
		"ints": countInts,
		// ACTS joined by +: left behind in a session of its own, without output.
		"session": session,
		// SECONDS: starts itself anew in new sessions, over and over.
		"flee": flee,
		// MIB to fill.
		"memory": memory,
	}
}

func polite(string) error {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT)
	<-asked
	return nil
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

// session starts a process with acts of its own and does not wait for it.
func session(v string) error {
	cmd := exec.Command("evil", strings.Split(v, "+")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
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
