// Package shim is what the factgate executable does when it is started under another name inside a run.
//
// A private folder, first on the PATH of a run, holds the executable as go, cargo, factgate-cargo, factgate-cargo-runner
// and factgate-rustdoc. Under such a name it starts the real program, passes its output, exit code and signal on unchanged,
// and writes one probe stream (JSON lines) into the run's private directory: what was started, what each test did, how it
// ended. Everything that is no test run is handed to the real program at once.
//
// A stream gets its end line only when the program ended by itself with a code and everything was written: a stream
// without one is incomplete, and incomplete never passes.
package shim

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"factgate/facts"
	"factgate/process"
)

// The environment of a run, see the runners package.
const (
	envRunDir    = "FACTGATE_RUN_DIR"     // the run's private directory
	envNested    = "FACTGATE_NESTED"      // equals envRunDir below a runner that reports itself
	envFresh     = "FACTGATE_FRESH"       // set: go's cache of test results is passed by
	envRealGo    = "FACTGATE_REAL_GO"     // the go that argv named by its path
	envRealCargo = "FACTGATE_REAL_CARGO"  // the cargo that argv named by its path
	envParent    = "FACTGATE_CARGO"       // names the cargo process above a test binary
	envChain     = "FACTGATE_CARGO_CHAIN" // + _TRIPLE: the user's own target runner, a JSON list
	envRustdoc   = "FACTGATE_RUSTDOC"     // the user's own rustdoc
	envDoctest   = "FACTGATE_DOCTEST"     // set below our rustdoc
)

// The names, without .exe, under which the executable acts as a shim.
const (
	nameGo      = "go"
	nameCargo   = "cargo"
	nameRunner  = "factgate-cargo-runner"
	nameRustdoc = "factgate-rustdoc"
	nameSteps   = "factgate-cargo"
)

// Call is how this process was started. Nothing else is read from the process's globals.
type Call struct {
	Name   string   // base name of the program, without .exe
	Args   []string // what follows it
	Env    []string
	Dir    string // working directory
	Self   string // path of this executable
	Stdout io.Writer
	Stderr io.Writer
	Now    func() time.Time

	first bool // of the two steps of factgate-cargo
}

// Names lists the names under which Main handles a call.
func Names() []string { return []string{nameCargo, nameSteps, nameRunner, nameRustdoc, nameGo} }

// Main acts as the program that c.Name stands for and says how it ended; the caller must end in the same way. It reports
// false, and does nothing, for any other name. Where the real program can take over this very process, Main does not
// return.
func Main(c Call) (end facts.Exit, handled bool) {
	switch c.Name {
	case nameGo:
		return c.goMain(), true
	case nameCargo:
		return c.cargoMain(), true
	case nameSteps:
		return c.stepsMain(), true
	case nameRunner:
		return c.runnerMain(), true
	case nameRustdoc:
		return c.rustdocMain(), true
	}
	return facts.Exit{}, false
}

// become replaces this process by argv.
func (c *Call) become(argv, env []string) facts.Exit {
	err := process.Exec(process.PassSpec{Argv: argv, Env: env})
	return c.fail(fmt.Errorf("start %s: %w", argv[0], err))
}

// pass starts argv below this process and waits for it.
func (c *Call) pass(argv, env []string, stdout io.Writer) facts.Exit {
	return c.passAs(process.PassSpec{Argv: argv, Env: env, Stdout: stdout})
}

func (c *Call) passAs(spec process.PassSpec) facts.Exit {
	end := process.Pass(spec)
	if end.StartError != "" {
		return c.fail(fmt.Errorf("start %s: %s", spec.Argv[0], end.StartText))
	}
	return end
}

// fail says why the real program cannot be started. 127 is what a shell says then.
func (c *Call) fail(err error) facts.Exit {
	fmt.Fprintf(c.Stderr, "factgate: %s: %v\n", c.Name, err)
	return facts.Exit{Code: 127}
}

// real finds the program that c.Name stands for: the one that override names, else the next on PATH that is not this
// executable.
func (c *Call) real(override string) (string, error) {
	if p := get(c.Env, override); p != "" {
		return p, nil
	}
	p := c.look(c.Name)
	if p == "" {
		return "", fmt.Errorf("no other %s on PATH", c.Name)
	}
	return p, nil
}

// look finds a program on PATH, our own executable left out; "" when there is none.
func (c *Call) look(name string) string {
	for _, dir := range filepath.SplitList(get(c.Env, "PATH")) {
		if dir == "" || !filepath.IsAbs(dir) {
			continue // a relative folder would depend on where the caller stands
		}
		if p := filepath.Join(dir, name+exeSuffix); runnable(p) && !c.isSelf(p) {
			return p
		}
	}
	return ""
}

func (c *Call) isSelf(p string) bool {
	self, err := os.Stat(c.Self)
	if err != nil {
		return false
	}
	other, err := os.Stat(p)
	return err == nil && os.SameFile(self, other)
}

// clear returns PATH without the folders in which c.Name is this executable.
func (c *Call) clear(path string) string {
	var keep []string
	for _, dir := range filepath.SplitList(path) {
		if dir == "" || !c.isSelf(filepath.Join(dir, c.Name+exeSuffix)) {
			keep = append(keep, dir)
		}
	}
	return strings.Join(keep, string(os.PathListSeparator))
}

// nested reports whether a runner that reports itself is above this process.
func (c *Call) nested() bool {
	dir := get(c.Env, envRunDir)
	return dir != "" && get(c.Env, envNested) == dir
}

// get reads a variable; the last one counts, as it does for a program that is started with env.
func get(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// set returns a copy of env in which name has this value.
func set(env []string, name, value string) []string {
	return append(unset(env, name), name+"="+value)
}

// unset returns a copy of env without name.
func unset(env []string, name string) []string {
	out := make([]string, 0, len(env)+1)
	for _, e := range env {
		if !strings.HasPrefix(e, name+"=") {
			out = append(out, e)
		}
	}
	return out
}
