//go:build linux

package process

import (
	"os"
	"os/exec"
	"testing"
)

// floods are what the two benchmarks below print, 1 GB of it.
var floods = map[string]string{"zeros": "head -c 1000000000 /dev/zero", "lines": "yes abcdefghijklmnopqrstuvwxyz | head -c 1000000000"}

func BenchmarkFlood(b *testing.B) {
	log := b.TempDir() + "/log"
	for name, script := range floods {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(1e9)
			for b.Loop() {
				e := Run(b.Context(), Spec{Self: executable(), Argv: []string{"/bin/sh", "-c", script}, Env: os.Environ(), Log: log, Spool: 4 << 20})
				if e.Output.Bytes != 1e9 {
					b.Fatal(e)
				}
			}
		})
	}
}

// BenchmarkFloodIntoCat is what BenchmarkFlood is held against.
func BenchmarkFloodIntoCat(b *testing.B) {
	for name, script := range floods {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(1e9)
			for b.Loop() {
				if err := exec.Command("/bin/sh", "-c", script+" | cat >/dev/null").Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
