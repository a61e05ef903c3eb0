//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tools are the commands of the scripts, which this binary plays under their names. Each says on stderr what did not hold,
// and then ends with 1, which ends the script.
func tools() map[string]func([]string) int {
	return map[string]func([]string) int{
		"verify": func(a []string) int { return plain(verifyTool(a)) }, // verify CODES [ARGS]: factgate verify --format json, kept in $OUT/last
		"ask":    func(a []string) int { return plain(askTool(a)) },    // ask CODES ARGS: factgate ARGS, its stdout and stderr kept in $OUT/last
		"shown":  func(a []string) int { return plain(shownTool(a)) },  // shown CHECK: the whole newest record of a check, kept in $OUT/last
		"want":   func(a []string) int { return plain(wantTool(a)) },   // want [!] PATH VALUE: a value of the JSON in $OUT/last; VALUE is a pattern, or >=N or <=N
		"await":  func(a []string) int { return plain(awaitTool(a)) },  // await FILE [PATTERN]: waits for it, 20 s at most
		"gone":   func(a []string) int { return plain(goneTool(a)) },   // gone: nothing but the script itself is alive
		"small":  func(a []string) int { return plain(smallTool(a)) },  // small MB: the last factgate needed no more memory
		"clean":  func(a []string) int { return plain(cleanTool(a)) },  // clean [github]: what $OUT/last holds can do nothing to a terminal or to CI
		"tty":    func(a []string) int { return plain(ttyTool(a)) },    // tty FILE KEYS PROGRAM ARGS: on a terminal; KEYS (^C, close) when FILE is there
		"sweep":  func(a []string) int { return plain(sweepTool(a)) },  // sweep CALLS ERROR FIRST LAST: see sweep.go
		"evil":   evilTool,                                             // evil ACTS: a test program, see evil.go
	}
}

func plain(err error) int {
	if err == nil {
		return 0
	}
	said, what, _ := strings.Cut(err.Error(), "\n") // the sentence last: the end of what a script says is what is shown
	if what != "" {
		fmt.Fprintln(os.Stderr, what)
	}
	fmt.Fprintln(os.Stderr, filepath.Base(os.Args[0]), strings.Join(os.Args[1:], " ")+":", said)
	return 1
}

// call is one run of factgate, as $OUT/calls.jsonl keeps it.
type call struct {
	Words   []string `json:"words"`
	Code    int      `json:"code"` // -1 when a signal ended it
	Verdict string   `json:"verdict,omitempty"`
	Late    bool     `json:"late,omitempty"`
	Peak    int64    `json:"peak"` // of memory, in KiB, its children included
	MS      int64    `json:"ms"`
}

func out(name string) string { return filepath.Join(os.Getenv("OUT"), name) }

// factgate runs it with a limit of time, keeps what it prints, and writes the call down.
func factgate(words ...string) (c call, stdout []byte, err error) {
	limit, err := strconv.Atoi(os.Getenv("LIMIT"))
	if err != nil {
		return c, nil, err
	}
	cmd := exec.Command("factgate", words...)
	var said, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, &said, &errs
	cmd.WaitDelay = time.Second // a pipe that outlives factgate is a fault of its own: NO_ALIVE finds who holds it
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return c, nil, err
	}
	killer := time.AfterFunc(time.Duration(limit)*time.Millisecond, func() { c.Late = true; cmd.Process.Kill() })
	cmd.Wait()
	killer.Stop()
	c.Words, c.Code, c.MS = words, cmd.ProcessState.ExitCode(), time.Since(began).Milliseconds()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.Peak = usage.Maxrss
	}
	var report struct {
		Verdict string `json:"verdict"`
		Exit    *int   `json:"exit"`
	}
	if json.Unmarshal(said.Bytes(), &report) == nil && report.Exit != nil {
		c.Verdict = report.Verdict
		if *report.Exit != c.Code {
			err = fmt.Errorf("the report says exit %d, and it ended with %d", *report.Exit, c.Code)
		}
	}
	err = errors.Join(err, note(c), os.WriteFile(out("last"), append(said.Bytes(), errs.Bytes()...), 0o600))
	if m := panicText.Find(append(said.Bytes(), errs.Bytes()...)); m != nil {
		err = errors.Join(err, fmt.Errorf("it says %q:\n%s", m, errs.String()))
	}
	if c.Late {
		err = errors.Join(err, fmt.Errorf("still running after %d ms", limit))
	}
	return c, said.Bytes(), err
}

// note adds a call to those that the harness looks at after the script.
func note(c call) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(out("calls.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

func askTool(args []string) error {
	c, said, err := factgate(args[1:]...)
	if err != nil {
		return err
	}
	if args[0] != "*" && !slices.Contains(strings.Split(args[0], ","), strconv.Itoa(c.Code)) {
		text, _ := os.ReadFile(out("last"))
		return fmt.Errorf("it ended with %d after %d ms\n%s", c.Code, c.MS, cut(string(text)))
	}
	if !json.Valid(said) && slices.Contains(args, "json") && args[1] != "log" && c.Code != 2 {
		return fmt.Errorf("no JSON on stdout: %q", cut(string(said)))
	}
	return nil
}

func cut(s string) string { return s[:min(len(s), 4000)] }

func verifyTool(args []string) error {
	return askTool(append([]string{args[0], "verify", "--format", "json"}, args[1:]...))
}

func shownTool(args []string) error {
	return askTool(append([]string{"0", "show", "--format", "json"}, args...))
}

// wantTool holds a value of the JSON that the last call printed.
func wantTool(args []string) error {
	neg := args[0] == "!"
	if neg {
		args = args[1:]
	}
	text, err := os.ReadFile(out("last"))
	if err != nil {
		return err
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("the last call printed no JSON: %w\n%s", err, cut(string(text)))
	}
	values := at(value, strings.Split(args[0], "."))
	ok := slices.ContainsFunc(values, func(v any) bool { return matches(fmt.Sprint(v), args[1]) })
	if ok == neg {
		return fmt.Errorf("it is %v in\n%s", values, cut(string(text)))
	}
	return nil
}

// at finds the values at a path; * is every element, and a name finds the element that has it.
func at(value any, path []string) []any {
	if len(path) == 0 {
		if list, ok := value.([]any); ok {
			return list
		}
		return []any{value}
	}
	switch v := value.(type) {
	case map[string]any:
		if inner, ok := v[path[0]]; ok {
			return at(inner, path[1:])
		}
	case []any:
		var all []any
		for i, e := range v {
			m, _ := e.(map[string]any)
			if path[0] == "*" || path[0] == strconv.Itoa(i) || m["name"] == path[0] {
				all = append(all, at(e, path[1:])...)
			}
		}
		return all
	}
	return nil
}

func matches(got, want string) bool {
	for op, holds := range map[string]func(a, b float64) bool{">=": func(a, b float64) bool { return a >= b }, "<=": func(a, b float64) bool { return a <= b }} {
		if bound, ok := strings.CutPrefix(want, op); ok {
			a, err := strconv.ParseFloat(got, 64)
			b, err2 := strconv.ParseFloat(bound, 64)
			return err == nil && err2 == nil && holds(a, b)
		}
	}
	return regexp.MustCompile("^(?:" + want + ")$").MatchString(got)
}

// patience is how long a script waits for something that must happen.
const patience = 20 * time.Second

func awaitTool(args []string) error {
	pattern := regexp.MustCompile("")
	if len(args) > 1 {
		pattern = regexp.MustCompile("(?m)" + args[1])
	}
	for over := time.Now().Add(patience); time.Now().Before(over); time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(args[0]); err == nil && pattern.Match(text) {
			return nil
		}
	}
	return fmt.Errorf("it did not come within %s", patience)
}

func goneTool([]string) error {
	if alive := survivors(2*time.Second, append(ancestors(os.Getpid()), 1)...); len(alive) > 0 {
		return fmt.Errorf("NO_ALIVE: %d are: %s", len(alive), strings.Join(alive[:min(5, len(alive))], "; "))
	}
	return nil
}

func smallTool(args []string) error {
	limit, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(out("calls.jsonl"))
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var c call
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &c); err != nil {
		return err
	}
	if c.Peak > limit<<10 {
		return fmt.Errorf("it needed %d MiB", c.Peak>>10)
	}
	return nil
}
