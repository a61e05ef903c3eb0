//go:build linux

// Command campaign runs the built factgate against a table of faults and holds what it then says, keeps and leaves behind.
//
// Each row of rows/*.txt is data: a repository, a script that drives factgate as a user would, and what must hold. A row
// runs in a PID namespace of its own, so that whatever outlives it is found and counted. Beside the row's own words four
// things are held for every row: nothing passed that must not, nothing of the run is alive afterwards, it answered in
// time, and all earlier records are there, byte for byte. factgate is a black box here: nothing of its code is imported.
//
//	go run ./campaign                          every row once
//	go run ./campaign -rows 'process.*' -times 10
//	go run ./campaign -write                   all, and the table of docs/reliability.md anew
//
// The same binary plays the commands of the scripts (verify, want, evil, …) under their names: see tools.go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

func main() {
	name := filepath.Base(os.Args[0])
	if tool, ok := tools()[name]; ok {
		os.Exit(tool(os.Args[1:]))
	}
	if len(os.Args) > 1 && os.Args[1] == insideWord {
		os.Exit(inside(os.Args[2:]))
	}
	os.Exit(campaign(os.Args[1:], os.Stdout, os.Stderr))
}

// options are what the command line asks for.
type options struct {
	rows   string
	times  int
	jobs   int
	write  bool
	loud   bool
	keep   bool
	list   bool
	binary string
}

// campaign runs rows and prints one line for each, then the counts and the reasons. It returns 0 when all that ran held.
func campaign(args []string, out, errs io.Writer) int {
	o := options{}
	flags := flag.NewFlagSet("campaign", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&o.rows, "rows", "", "only rows whose id is, or matches, one of these `PATTERNS`: process.*,tree.a-b-a")
	flags.IntVar(&o.times, "times", 1, "run each row `N` times; it must hold each time")
	flags.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "run `N` rows at a time")
	flags.BoolVar(&o.write, "write", false, "write the table of docs/reliability.md")
	flags.BoolVar(&o.loud, "v", false, "show what the scripts say, also of rows that hold")
	flags.BoolVar(&o.keep, "keep", false, "leave the scratch folders of rows that failed")
	flags.BoolVar(&o.list, "list", false, "list the rows and run nothing")
	flags.StringVar(&o.binary, "binary", "", "test this factgate `PATH` instead of one built from this source")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	fail := func(err error) int {
		fmt.Fprintln(errs, "campaign:", err)
		return 2
	}
	all, err := rows()
	if err != nil {
		return fail(err)
	}
	if o.write && o.rows != "" {
		return fail(errors.New("-write takes the table of all rows: leave -rows away"))
	}
	chosen, err := choose(all, o.rows)
	if err != nil {
		return fail(err)
	}
	if o.list {
		for _, r := range chosen {
			fmt.Fprintf(out, "%-34s %s\n", r.ID, r.Fault)
		}
		return 0
	}
	h, err := newHarness(o)
	if err != nil {
		return fail(err)
	}
	defer h.close()
	began := time.Now()
	results := h.all(chosen, out)
	failed := summary(out, results, time.Since(began))
	if o.write {
		if err := writePage(h.root, words(results)); err != nil {
			return fail(err)
		}
	}
	if failed > 0 {
		return 1
	}
	return 0
}

// harness is what all rows share.
type harness struct {
	options
	root    string // of the source
	scratch string
	self    string
	bin     string // folder with factgate and the tools
	machine machine
}

// newHarness finds the source, builds factgate and looks at what this machine can do.
func newHarness(o options) (*harness, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	root, err := module()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "campaign-")
	if err != nil {
		return nil, err
	}
	h := &harness{options: o, root: root, scratch: scratch, self: self, bin: filepath.Join(scratch, "bin")}
	if err := h.build(); err != nil {
		h.close()
		return nil, err
	}
	h.machine = look(h.bin)
	return h, nil
}

// module is the folder of go.mod at or above the working directory.
func module() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), "module factgate\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod of factgate at or above the working directory")
		}
	}
}

// build puts factgate and the tools of the scripts into one folder.
func (h *harness) build() error {
	if err := os.Mkdir(h.bin, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(h.scratch, 0o755); err != nil { // rows that run as somebody else look in
		return err
	}
	target := filepath.Join(h.bin, "factgate")
	if h.binary == "" {
		cmd := exec.Command("go", "build", "-trimpath", "-o", target, "./cmd/factgate")
		cmd.Dir, cmd.Env = h.root, append(os.Environ(), "CGO_ENABLED=0")
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, said)
		}
	} else if err := copyFile(h.binary, target, 0o755); err != nil {
		return err
	}
	if err := copyFile(h.self, filepath.Join(h.bin, "campaign"), 0o755); err != nil { // go run removes its own
		return err
	}
	h.self = filepath.Join(h.bin, "campaign")
	for name := range tools() {
		if err := os.Symlink("campaign", filepath.Join(h.bin, name)); err != nil {
			return err
		}
	}
	return nil
}

func (h *harness) close() {
	if !h.keep {
		os.RemoveAll(h.scratch)
	}
}

// all runs rows, some at a time, and prints each as it ends.
func (h *harness) all(chosen []row, out io.Writer) []result {
	results := make([]result, len(chosen))
	var print sync.Mutex
	var wait sync.WaitGroup
	slots := make(chan struct{}, max(h.jobs, 1))
	for i, r := range chosen {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			results[i] = h.row(r)
			print.Lock()
			defer print.Unlock()
			results[i].print(out)
		})
	}
	wait.Wait()
	return results
}

func copyFile(from, to string, mode os.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, mode)
}
