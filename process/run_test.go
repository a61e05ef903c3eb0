//go:build linux || darwin

package process

import (
	"os"
	"os/exec"
	"testing"
)

func TestFirst(t *testing.T) {
	for code := range 256 {
		_ = code
	}
	e := Run(t.Context(), Spec{Argv: helperArgv("say", "hi", "exit", "3"), Env: os.Environ(), Log: t.TempDir() + "/log"})
	t.Logf("%+v", e)
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if e := Run(b.Context(), Spec{Argv: []string{"/bin/true"}, Env: os.Environ()}); e.Code != 0 {
			b.Fatal(e)
		}
	}
}

func BenchmarkRunWithLog(b *testing.B) {
	log := b.TempDir() + "/log"
	for b.Loop() {
		if e := Run(b.Context(), Spec{Argv: []string{"/bin/true"}, Env: os.Environ(), Log: log}); e.Code != 0 {
			b.Fatal(e)
		}
	}
}

// BenchmarkPlain is what the others are held against.
func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		if _, err := exec.Command("/bin/true").CombinedOutput(); err != nil {
			b.Fatal(err)
		}
	}
}
