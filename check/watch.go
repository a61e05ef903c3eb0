package check

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"factgate/facts"
	"factgate/process"
	"factgate/runners"
)

// watch counts, for display only, the cases that the runner has written down so far.
func (v *verify) watch(name, runDir string) (stop func()) {
	if !v.Watch {
		return func() {}
	}
	done, closed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(closed)
		tick := time.NewTicker(300 * time.Millisecond)
		defer tick.Stop()
		c := counter{dir: runDir, read: map[string]int64{}}
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if c.count() {
					v.progress().Cases(name, c.cases)
				}
			}
		}
	}()
	return func() { close(done); <-closed }
}

type counter struct {
	dir   string
	read  map[string]int64 // bytes of each file that were looked at
	cases int
}

// count looks at what was appended since the last time.
func (c *counter) count() (more bool) {
	names, err := filepath.Glob(filepath.Join(c.dir, "*"))
	if err != nil {
		return false
	}
	buf := make([]byte, 256<<10)
	for _, name := range names {
		if !strings.HasSuffix(name, ".probe") && !strings.HasSuffix(name, ".json") {
			continue
		}
		f, err := os.OpenFile(name, os.O_RDONLY|noBlock, 0)
		if err != nil {
			continue
		}
		n, _ := f.ReadAt(buf, c.read[name]) // what is there is enough for a display
		f.Close()
		end := bytes.LastIndexByte(buf[:n], '\n') + 1
		c.read[name] += int64(end)
		for line := range bytes.Lines(buf[:end]) {
			if bytes.Contains(line, []byte(`"e":"case"`)) || ended(line) {
				c.cases++
				more = true
			}
		}
	}
	return more
}

// ended recognises the end of a test in the stream of go test -json.
func ended(line []byte) bool {
	if !bytes.Contains(line, []byte(`"Test":`)) {
		return false
	}
	for _, a := range []string{`"Action":"pass"`, `"Action":"fail"`, `"Action":"skip"`} {
		if bytes.Contains(line, []byte(a)) {
			return true
		}
	}
	return false
}

// version learns the runner's version beside the run: from its own probe, else by asking the program once per digest.
// The returned function waits for the answer.
func (v *verify) version(ctx context.Context, p runners.Plan, prog program) func(facts.Results) string {
	known := v.programs.version(prog.Digest, p.Version)
	answer := make(chan string, 1)
	if known != "" || len(p.Version) == 0 {
		answer <- known
	} else {
		go func() {
			limited, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			out, code, err := process.Output(limited, p.Dir, p.Env, p.Version, 4096)
			if err != nil || code != 0 {
				answer <- ""
				return
			}
			line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
			v.programs.keepVersion(prog.Digest, p.Version, line)
			answer <- line
		}()
	}
	return func(r facts.Results) string {
		for _, one := range r.Processes {
			if one.Version != "" && !one.Nested {
				return one.Version
			}
		}
		return <-answer
	}
}
