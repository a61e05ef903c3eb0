//go:build linux || darwin

package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"factgate/facts"
)

// The test binary is also the program that the tests start: with helperWord as its first argument it follows the words
// after it, one step after the other, and exits 0 at their end.
const helperWord = "process-test-helper"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == helperWord {
		follow(os.Args[2:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// helperArgv is the argv for one helper.
func helperArgv(steps ...string) []string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{exe, helperWord}, steps...)
}

// follow does what the words say. A step that starts something takes all words that are left.
func follow(words []string) {
	for len(words) > 0 {
		step := words[0]
		words = words[1:]
		arg := func() string {
			a := words[0]
			words = words[1:]
			return a
		}
		number := func() int {
			n, err := strconv.Atoi(arg())
			must(err)
			return n
		}
		switch step {
		case "exit":
			os.Exit(number())
		case "die":
			DieAs(facts.Exit{Signal: arg()})
		case "say":
			fmt.Println(arg())
		case "pid":
			fmt.Println("pid", os.Getpid())
		case "print": // so many bytes: lines of 64
			line, left := strings.Repeat("x", 63)+"\n", number()
			for ; left > 0; left -= len(line) {
				os.Stdout.WriteString(line[:min(left, len(line))])
			}
		case "close-output":
			must(unix.Close(1))
			must(unix.Close(2))
		case "ignore":
			signal.Ignore(signalNumber(arg()))
		case "count": // says each signal that comes, from a goroutine
			c := make(chan os.Signal, 16)
			signal.Notify(c, signalNumber(arg()))
			go func() {
				for s := range c {
					fmt.Println("got", signalName(s.(syscall.Signal)))
				}
			}()
		case "exit-on": // SIGNAL CODE, in the background
			c := make(chan os.Signal, 1)
			signal.Notify(c, signalNumber(arg()))
			code := number()
			go func() { <-c; os.Exit(code) }()
		case "stop":
			must(unix.Kill(os.Getpid(), unix.SIGSTOP))
		case "hang":
			time.Sleep(time.Hour)
		case "touch":
			must(os.WriteFile(arg(), nil, 0o600))
		case "await": // a file
			for name := arg(); ; time.Sleep(time.Millisecond) {
				if _, err := os.Stat(name); err == nil {
					break
				}
			}
		case "spawn": // group|own-group|session [scrub] [silent] STEPS...: starts a helper and does not wait for it
			words = spawn(words)
		case "state": // of this process, as the kernel says it
			status, err := os.ReadFile("/proc/self/status")
			must(err)
			for _, l := range strings.Split(string(status), "\n") {
				if strings.HasPrefix(l, "Sig") {
					fmt.Println(l)
				}
			}
		case "limit-files": // no file longer than so many bytes
			n := uint64(number())
			must(unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}))
		case "run": // LOG ARGV...: Run, and print its Exit as JSON
			exit := Run(context.Background(), Spec{Log: arg(), Argv: words, Env: os.Environ()})
			must(json.NewEncoder(os.Stdout).Encode(exit))
			return
		case "pass": // inherit|writer ARGV...
			s := PassSpec{Argv: words[1:], Env: os.Environ()}
			if words[0] == "writer" {
				s.Stdout = os.Stdout
			}
			DieAs(Pass(s))
		case "exec": // ARGV...
			must(Exec(PassSpec{Argv: words, Env: os.Environ()}))
		default:
			must(fmt.Errorf("no such step: %s", step))
		}
	}
}

// spawn starts a helper with the steps up to a word ";", and returns those behind it.
func spawn(words []string) []string {
	cmd := exec.Command(os.Args[0])
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	steps, depth := []string{}, 0
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		switch {
		case w == "session" && len(steps) == 0:
			cmd.SysProcAttr.Setsid = true
		case w == "own-group" && len(steps) == 0:
			cmd.SysProcAttr.Setpgid = true
		case w == "scrub" && len(steps) == 0:
			cmd.Env = []string{"A=b"}
		case w == "silent" && len(steps) == 0:
			cmd.Stdout, cmd.Stderr = nil, nil
		case w == "group" && len(steps) == 0:
		case w == ";" && depth == 0:
			goto start
		default:
			if w == "spawn" {
				depth++
			}
			if w == ";" {
				depth--
			}
			steps = append(steps, w)
		}
	}
start:
	cmd.Args = append([]string{os.Args[0], helperWord}, steps...)
	must(cmd.Start())
	return words
}

func must(err error) {
	if err != nil {
		fmt.Println("helper:", err)
		os.Exit(99)
	}
}
