//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sweepTool lets system calls of factgate fail, one by one: sweep CALLS ERROR FIRST LAST [CODES] runs factgate verify under
// strace once for each N of FIRST..LAST, and lets the Nth of these calls of each thread fail. Programs that factgate
// starts are left alone. It ends early where there is no Nth call any more. After each run:
//
//   - it ended with 2 or 3 (or one of CODES), or it passed and the record of that very run opens and says passed;
//   - it printed no panic, and no report that says something else than its exit code;
//   - all records open.
func sweepTool(args []string) error {
	first, err := strconv.Atoi(args[2])
	last, err2 := strconv.Atoi(args[3])
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	codes := []string{"2", "3"}
	if len(args) > 4 {
		codes = strings.Split(args[4], ",")
	}
	seen := map[int]int{}
	for n := first; n <= last; n++ {
		c, hit, err := inject(args[0], fmt.Sprintf("error=%s:when=%d", args[1], n))
		if err != nil {
			return fmt.Errorf("call %d: %w", n, err)
		}
		if !hit {
			break
		}
		seen[c.Code]++
		if err := fair(c, codes); err != nil {
			text, _ := os.ReadFile(out("last"))
			return fmt.Errorf("call %d: %w\n%s", n, err, cut(string(text)))
		}
	}
	fmt.Printf("%s %s: exit codes %v\n", args[0], args[1], seen)
	if len(seen) == 0 {
		return fmt.Errorf("no call was hit: the sweep proves nothing")
	}
	return nil
}

// inject runs factgate verify once with a fault. hit is false when the fault did not come.
func inject(calls, fault string) (c call, hit bool, err error) {
	trace := out("strace")
	cmd := exec.Command("strace", "-f", "-b", "execve", "-qq", "-o", trace, "-e", "trace="+calls, "-e", "signal=none",
		"-e", "inject="+calls+":"+fault, "factgate", "verify", "--fresh", "--format", "json")
	stdout, err := os.Create(out("stdout"))
	if err != nil {
		return c, false, err
	}
	defer stdout.Close()
	stderr, err := os.Create(out("stderr"))
	if err != nil {
		return c, false, err
	}
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	killer := time.AfterFunc(patience, func() { c.Late = true; cmd.Process.Kill() })
	if err := cmd.Start(); err != nil {
		return c, false, err
	}
	killer.Reset(patience)
	cmd.Wait()
	killer.Stop()
	c.Words, c.Code = []string{"verify", "with", calls, fault}, cmd.ProcessState.ExitCode()
	said, err := os.ReadFile(trace)
	if err != nil {
		return c, false, err
	}
	text, _ := os.ReadFile(out("stdout"))
	errs, _ := os.ReadFile(out("stderr"))
	if err := os.WriteFile(out("last"), append(text, errs...), 0o600); err != nil {
		return c, false, err
	}
	return c, strings.Contains(string(said), "(INJECTED)"), nil
}

// fair holds what must hold after a fault.
func fair(c call, codes []string) error {
	text, err := os.ReadFile(out("stdout"))
	if err != nil {
		return err
	}
	var report struct {
		Verdict string `json:"verdict"`
		Exit    int    `json:"exit"`
		Checks  []checked
	}
	reported := json.Unmarshal(text, &report) == nil
	errs, _ := os.ReadFile(out("stderr"))
	switch {
	case c.Late:
		return fmt.Errorf("still running after %s", patience)
	case panicText.Match(text):
		return fmt.Errorf("a panic on stdout")
	case panicText.Match(errs) && !ofRuntime(errs):
		return fmt.Errorf("a panic on stderr")
	case c.Code != 0 && !slices.Contains(codes, strconv.Itoa(c.Code)):
		return fmt.Errorf("it ended with %d", c.Code)
	case reported && report.Exit != c.Code:
		return fmt.Errorf("the report says exit %d, and it ended with %d", report.Exit, c.Code)
	}
	if said, err := exec.Command("factgate", "audit").CombinedOutput(); err != nil {
		return fmt.Errorf("audit: %w\n%s", err, said)
	}
	if c.Code != 0 {
		return nil
	}
	log, err := exec.Command("factgate", "log", "--format", "json", "c").Output()
	if err != nil {
		return err
	}
	newest := logged(string(log))
	if len(newest) == 0 || newest[0].Outcome != "passed" {
		return fmt.Errorf("it passed, and no record says so\n%s", log)
	}
	if reported && newest[0].Record != report.Checks[0].Record {
		return fmt.Errorf("it passed by record %s, and the newest one is %s", report.Checks[0].Record, newest[0].Record)
	}
	if said, err := exec.Command("factgate", "show", newest[0].Record).CombinedOutput(); err != nil {
		return fmt.Errorf("it passed, and its record does not open: %w\n%s", err, said)
	}
	return nil
}

// ofRuntime: the Go runtime itself ends the program, with words of its own, where it gets no memory or no thread.
func ofRuntime(errs []byte) bool {
	for _, word := range []string{"runtime: failed to create new OS thread", "runtime: cannot allocate memory", "out of memory",
		"runtime: mmap", "runtime: netpollBreak write failed", "failed to reserve", "bad sysAlloc", "pthread_create", "newosproc"} {
		if strings.Contains(string(errs), word) {
			return true
		}
	}
	return false
}
