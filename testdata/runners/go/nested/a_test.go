package a

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestOuter(t *testing.T) {
	if os.Getenv("INNER") != "" {
		t.Fatal("inner")
	}
	if strings.Contains(os.Getenv("PATH"), os.Getenv("OUTER_BIN")) {
		t.Fatal("a test sees another PATH than without factgate")
	}
	shell := exec.Command("sh", "-c", "PATH=$OUTER_PATH go test .")
	shell.Env = append(os.Environ(), "INNER=1")
	out, err := shell.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "inner") {
		t.Fatalf("%v: %s", err, out)
	}
}
