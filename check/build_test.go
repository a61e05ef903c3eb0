package check

import (
	"os"
	"path/filepath"
	"testing"

	"factgate/facts"
)

// Cargo's stream says only that a build failed; what the compiler printed first says why and where.
func TestExplainBuild(t *testing.T) {
	root := t.TempDir()
	member := filepath.Join(root, "crates", "a")
	source := filepath.Join(member, "src", "lib.rs")
	if err := os.MkdirAll(filepath.Dir(source), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, log, message, file string
		line                     int
	}{
		{"rustc", "   Compiling a v0.1.0\nwarning: unused\n --> x.rs:1:1\n\nerror[E0308]: mismatched types\n --> crates/a/src/lib.rs:2:23\n  |\n2 | x\n\nerror: aborting\n",
			"mismatched types", source, 2},
		{"colours", "\x1b[1m\x1b[91merror\x1b[0m\x1b[1m: nope\x1b[0m\r\n \x1b[94m--> \x1b[0m/abs/x y.rs:7:1\r\n", "nope", "/abs/x y.rs", 7},
		{"the last word alone", "error: could not compile `a` (lib)\n", "it failed", "", 0},
		{"behind the last word", "error: could not compile `a` (lib)\nerror: linking with `cc` failed\n", "linking with `cc` failed", "", 0},
		{"cargo", "error: could not find `Cargo.toml` in `/x`\n", "could not find `Cargo.toml` in `/x`", "", 0},
		{"nothing", "hello\n", "it failed", "", 0},
	} {
		log := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(log, []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		run := facts.Run{Results: facts.Results{Outside: []facts.Outside{{Kind: facts.Build, Where: member, Message: "it failed"}}}}
		run.Exit.Output.Log = log
		explainBuild(&run)
		o := run.Results.Outside[0]
		if o.Message != c.message || o.File != c.file || o.Line != c.line {
			t.Errorf("%s: %q at %s:%d, want %q at %s:%d", c.name, o.Message, o.File, o.Line, c.message, c.file, c.line)
		}
		run.Results.Outside = []facts.Outside{{Kind: facts.Build, Message: "one"}, {Kind: facts.Build, Message: "two"}}
		if explainBuild(&run); run.Results.Outside[0].Message != "one" {
			t.Errorf("%s: one of two was explained", c.name)
		}
	}
}
