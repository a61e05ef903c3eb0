package a

import (
	"os"
	"testing"
)

func TestKilled(t *testing.T) {
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	select {}
}
