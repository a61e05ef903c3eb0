// Command factgate runs the checks that factgate.toml declares, reads what the test programs wrote, decides, and keeps a
// signed record bound to the exact tree.
package main

import (
	"os"
	"path/filepath"
	"time"

	"factgate/shim"
)

func main() {
	os.Exit(start())
}

// start runs the program under the name that it was started with: as factgate, or in place of a test program's tool.
func start() int {
	if code, ok := shim.Main(filepath.Base(os.Args[0]), os.Args[1:], os.Environ()); ok {
		return code
	}
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Environ(), self: self, now: time.Now, tty: isTerminal(os.Stdout)}
	return a.run(os.Args[1:])
}
