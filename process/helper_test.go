//go:build linux

package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
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
	Supervise(os.Args)
	if len(os.Args) > 1 && os.Args[1] == helperWord {
		follow(os.Args[2:])
		os.Exit(0)
	}
	// A helper built with -race would sleep for a second before it ends.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// executable is the path of this test binary.
func executable() string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exe
}

// helperArgv is the argv for one helper.
func helperArgv(steps ...string) []string {
	return append([]string{executable(), helperWord}, steps...)
}

// helper is the argv for a helper that does these steps, a blank between words. replace are pairs as for a
// strings.Replacer.
func helper(steps string, replace ...string) []string {
	return helperArgv(strings.Fields(strings.NewReplacer(replace...).Replace(steps))...)
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
		case "replace": // PATH with TEXT: another file in its place; none when the text is empty
			path, _, data := arg(), arg(), arg()
			must(os.Remove(path))
			if data != "" {
				must(os.WriteFile(path, []byte(data), 0o700))
			}
		case "touch":
			must(os.WriteFile(arg(), nil, 0o600))
		case "touch-pid": // a file in that folder
			must(os.WriteFile(fmt.Sprintf("%s/%d", arg(), os.Getpid()), nil, 0o600))
		case "await-files": // FOLDER N: until there are so many
			for dir, n := arg(), number(); ; time.Sleep(time.Millisecond) {
				list, err := os.ReadDir(dir)
				must(err)
				if len(list) >= n {
					break
				}
			}
		case "await": // a file
			for name := arg(); ; time.Sleep(time.Millisecond) {
				if _, err := os.Stat(name); err == nil {
					break
				}
			}
		case "spawn": // [group] [session] [scrub] [silent] ( STEPS... ): starts a helper and does not wait for it
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
			exit := Run(context.Background(), Spec{Self: executable(), Log: arg(), Argv: words, Env: os.Environ()})
			must(json.NewEncoder(os.Stdout).Encode(exit))
			return
		case "pass": // inherit|writer|writers ARGV...
			s := PassSpec{Argv: words[1:], Env: os.Environ()}
			if words[0] != "inherit" {
				s.Stdout = os.Stdout
			}
			if words[0] == "writers" {
				s.Stderr = os.Stderr
			}
			DieAs(Pass(s))
		case "block-and-exec": // ARGV..., with SIGUSR1 and SIGPIPE blocked; Go itself unblocks SIGTERM and its like
			runtime.LockOSThread()
			set := unix.Sigset_t{}
			set.Val[0] = 1<<(unix.SIGUSR1-1) | 1<<(unix.SIGPIPE-1)
			must(unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil))
			must(syscall.Exec(words[0], words, os.Environ()))
		case "exec": // ARGV...
			must(Exec(PassSpec{Argv: words, Env: os.Environ()}))
		default:
			must(fmt.Errorf("no such step: %s", step))
		}
	}
}

// spawn starts a helper with the steps in the parentheses, and returns the words behind them.
func spawn(words []string) []string {
	cmd := exec.Command(os.Args[0])
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	for ; words[0] != "("; words = words[1:] {
		switch words[0] {
		case "session":
			cmd.SysProcAttr.Setsid = true
		case "group":
			cmd.SysProcAttr.Setpgid = true
		case "scrub":
			cmd.Env = []string{"A=b"}
		case "silent":
			cmd.Stdout, cmd.Stderr = nil, nil
		default:
			must(fmt.Errorf("no such way to spawn: %s", words[0]))
		}
	}
	end, depth := 1, 1
	for ; depth > 0; end++ {
		switch words[end] {
		case "(":
			depth++
		case ")":
			depth--
		}
	}
	cmd.Args = append([]string{os.Args[0], helperWord}, words[1:end-1]...)
	must(cmd.Start())
	return words[end:]
}

func must(err error) {
	if err != nil {
		fmt.Println("helper:", err)
		os.Exit(99)
	}
}

// alive reports whether a process is there, and not only its status.
func alive(pid int) bool {
	p, ok := readProc(pid)
	return ok && !p.dead()
}
