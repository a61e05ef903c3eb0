package shim

import "testing"

func TestBacktraceLeftOut(t *testing.T) {
	block := "before\n\nthread 'a' panicked at src/lib.rs:3:5:\nno 7\nstack backtrace:\n   0: __rustc::rust_begin_unwind\n             at /rustc/x/panicking.rs:697:5\n   1: m::a\n             at ./src/lib.rs:3:5\n" +
		"note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.\nafter\n"
	f := parseBlock(block, "")
	if f.Text != "before\n\nthread 'a' panicked at src/lib.rs:3:5:\nno 7\nafter" || f.Message != "no 7" || f.File != "src/lib.rs" || f.Line != 3 {
		t.Errorf("%+v", f)
	}
}
