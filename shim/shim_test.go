package shim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"factgate/process"
)

// TestMain acts as the shim when the test binary is started under one of its names, as factgate's main does.
func TestMain(m *testing.M) {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	end, handled := Main(Call{Name: name, Args: os.Args[1:], Env: os.Environ(), Dir: dir, Self: self, Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now})
	if handled {
		process.DieAs(end)
	}
	os.Exit(m.Run())
}
