// Command factgate runs the checks that factgate.toml declares, reads what the test programs wrote, decides, and keeps a
// signed record bound to the exact tree.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"factgate/process"
	"factgate/shim"
)

func main() {
	process.Supervise(os.Args)
	os.Exit(start())
}

// start runs the program under the name that it was started with: as factgate, or in place of a test program's tool. As
// the supervisor of a run, main never comes here.
func start() (code int) {
	defer func() {
		if r := recover(); r != nil { // a bug of ours: said in one line, and never a pass
			fmt.Fprintf(os.Stderr, "factgate: internal error: %v\nhint: this is a bug in factgate; nothing was proven\n", r)
			code = exitUsage
		}
	}()
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	if end, ok := shim.Main(call(self)); ok {
		process.DieAs(end)
	}
	process.Adopt()
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Environ(), self: self, now: time.Now, tty: isTerminal(os.Stdout)}
	return a.run(os.Args[1:])
}

// call is how this process was started, for the case that it stands in for another program.
func call(self string) shim.Call {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return shim.Call{Name: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), Args: os.Args[1:], Env: os.Environ(), Dir: dir,
		Self: self, Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now}
}
