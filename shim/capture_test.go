package shim

import (
	"bytes"
	"flag"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"factgate/facts"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the expectations anew")

const captured = "../testdata/shim"

// reportOf is the stream that a captured run makes, without its start.
func reportOf(t *testing.T, out, log string, doctests bool, args []string, end facts.Exit) string {
	t.Helper()
	c := &Call{Env: []string{envRunDir + "=" + t.TempDir()}, Dir: "/work", Stderr: io.Discard}
	s := c.open("libtest")
	text := newLibtestText(args)
	text.doctests = doctests
	for rest := []byte(out); len(rest) > 0; { // in pieces, as a pipe gives them
		n := min(len(rest), 1+rand.Intn(40))
		text.Write(rest[:n])
		rest = rest[n:]
	}
	text.close()
	suite := suite{c: c, pkg: "p", name: "p/t", id: "p t::", file: "src/lib.rs"}
	if doctests {
		suite.doctests(s, text, end)
	} else {
		suite.report(s, log, text, end)
	}
	s.close()
	data, err := os.ReadFile(s.path(".probe"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCapturedLibtest(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(captured, "libtest", "*.out"))
	if err != nil || len(names) < 10 {
		t.Fatalf("%d captures, %v", len(names), err)
	}
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".out")
		t.Run(base, func(t *testing.T) {
			out, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			doctests := strings.HasPrefix(base, "doctest")
			args := []string{"--format", base}
			end := facts.Exit{Code: 101}
			if base == "exits" || base == "forges" {
				end.Code = 0
			}
			got := reportOf(t, string(out), strings.TrimSuffix(name, ".out")+".log", doctests, args, end)
			golden := strings.TrimSuffix(name, ".out") + ".jsonl"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Error(d)
			}
			// Cut anywhere before the end of the result line, there is no end.
			if !strings.Contains(got, `{"e":"end"`) {
				return
			}
			last := strings.LastIndex(string(out), "filtered out")
			if base == "json" {
				last = strings.LastIndex(string(out), "filtered_out")
			}
			for n := 0; n < last; n += 1 + n/50 {
				if cut := reportOf(t, string(out[:n]), strings.TrimSuffix(name, ".out")+".log", doctests, args, facts.Exit{}); strings.Contains(cut, `{"e":"end"`) && !strings.Contains(cut, `"contradict"`) {
					t.Fatalf("cut at %d of %d, it ends all the same:\n%s", n, len(out), cut)
				}
			}
		})
	}
}

// TestResultLineIsTheLast: a result line that a test prints by itself is none.
func TestResultLineIsTheLast(t *testing.T) {
	line := "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	for out, want := range map[string]bool{
		"\nrunning 1 test\n.\n" + line + "\n":              true,
		"running 1 test\n" + line + "more\n":               false,
		"running 1 test\n" + line + "more\n" + line:        true,
		"running 1 test\n " + line:                         false,
		"running 1 test\n" + line + line[:40]:              false,
		"running 1 test\r\n" + line[:len(line)-1] + "\r\n": true,
	} {
		text := newLibtestText(nil)
		text.Write([]byte(out))
		text.close()
		if text.done != want {
			t.Errorf("%q: done is %v", out, text.done)
		}
	}
}

func TestCapturedGoTest(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(captured, "gotest", "*.json"))
	if err != nil || len(names) < 4 {
		t.Fatalf("%d captures, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			stream, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(name, ".json") + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			r := newGoRender(&out, io.Discard, goArgs{})
			for rest := stream; len(rest) > 0; {
				n := min(len(rest), 1+rand.Intn(200))
				r.Write(rest[:n])
				rest = rest[n:]
			}
			r.finish()
			if d := cmp.Diff(still(string(want)), still(out.String())); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestGoRenderIsBounded: endless output of a test is cut on the screen, and what ends the package still shows.
func TestGoRenderIsBounded(t *testing.T) {
	var out bytes.Buffer
	r := newGoRender(&out, io.Discard, goArgs{})
	line := []byte(`{"Action":"output","Package":"p","Test":"TestA","Output":"    ` + strings.Repeat("x", 1000) + `\n"}` + "\n")
	for range 20_000 {
		r.Write(line)
	}
	r.Write(bytes.Repeat([]byte("y"), 3*maxLine))
	r.Write([]byte("\n" + `{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}` + "\n"))
	r.Write([]byte(`{"Action":"fail","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"output","Package":"p","Output":"FAIL\tp\n"}` + "\n"))
	r.Write([]byte(`{"Action":"fail","Package":"p"}` + "\n"))
	r.finish()
	if s := out.String(); len(s) > maxHeld+10_000 || !strings.Contains(s, capped) || !strings.HasSuffix(s, "FAIL\tp\nFAIL\n") {
		t.Errorf("%d bytes, ends in %q", len(s), s[max(0, len(s)-100):])
	}
}
