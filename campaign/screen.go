//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unsafe"
)

// cleanTool holds that what factgate printed obeys nobody but factgate: no control, format or private character but the
// end of a line and a tab, no line that CI reads as a command, and no line that reads like a verdict of ours and is not.
func cleanTool(args []string) error {
	text, err := os.ReadFile(out("last"))
	if err != nil {
		return err
	}
	for _, c := range string(text) {
		if c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp) || c == unicode.ReplacementChar && !strings.Contains(string(text), "\uFFFD")) {
			return fmt.Errorf("it printed %U", c)
		}
	}
	github := len(args) > 0 && args[0] == "github"
	for _, line := range strings.Split(string(text), "\n") {
		ours := github && (strings.HasPrefix(line, "::error title=") || strings.HasPrefix(line, "::error file=") || strings.HasPrefix(line, "::group::") || line == "::endgroup::")
		switch trimmed := strings.TrimSpace(line); {
		case !ours && strings.HasPrefix(trimmed, "::"):
			return fmt.Errorf("a line that CI obeys: %q", line)
		case github && strings.Contains(line, "##["):
			return fmt.Errorf("a line that CI obeys: %q", line)
		case strings.HasPrefix(line, "PASSED") || strings.HasPrefix(line, "factgate: passed") || strings.HasPrefix(line, "ignore previous"):
			return fmt.Errorf("a line of a test stands where factgate speaks: %q", line)
		}
	}
	return nil
}

// ttyTool runs a program on a terminal of its own, does something to the terminal when a file is there, and ends with the
// program's exit code. What it printed is in $OUT/tty.
func ttyTool(args []string) error {
	file, keys, program := args[0], args[1], args[2:]
	near, far, err := terminal()
	if err != nil {
		return err
	}
	screen, err := os.Create(out("tty"))
	if err != nil {
		return err
	}
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, far
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	far.Close()
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := near.Read(buf)
			screen.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	if err := awaitTool([]string{file}); err != nil {
		return err
	}
	if keys == "close" {
		err = near.Close()
	} else {
		_, err = near.Write([]byte{3})
	}
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(patience):
		return fmt.Errorf("%s did not end within %s", program[0], patience)
	}
	select {
	case <-read: // all that it printed, when nobody else holds the terminal
	case <-time.After(time.Second):
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}

// terminal makes a terminal and returns our end and the program's.
func terminal() (near, far *os.File, err error) {
	near, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	var number, unlocked int32
	for _, ask := range []struct {
		request uintptr
		value   *int32
	}{{syscall.TIOCGPTN, &number}, {syscall.TIOCSPTLCK, &unlocked}} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), ask.request, uintptr(unsafe.Pointer(ask.value))); errno != 0 {
			near.Close()
			return nil, nil, errno
		}
	}
	far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	return near, far, err
}
