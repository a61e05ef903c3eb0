//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestResultsPage: what docs/results.md shows of factgate parse is what it prints.
func TestResultsPage(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, block := range strings.Split(string(page), "```console\n")[1:] {
		block, _, _ = strings.Cut(block, "```\n")
		for _, one := range strings.Split(block, "$ factgate ")[1:] {
			line, want, _ := strings.Cut(one, "\n")
			var out bytes.Buffer
			a := &app{out: &out, err: &out, env: os.Environ(), now: time.Now}
			fmt.Fprintf(&out, "exit code %d\n", a.run(strings.Fields(line)))
			if want = strings.ReplaceAll(want, "0.1.0-dev", Version); out.String() != want {
				t.Errorf("factgate %s prints\n%s\nparsers/testdata/results.md, from which docs/results.md is printed, says\n%s", line, &out, want)
			}
			tried++
		}
	}
	if tried < 4 {
		t.Errorf("only %d commands were tried", tried)
	}
}
