package shim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlaceDoctest: the lines that rustdoc 1.95 prints for these blocks, and those of the source.
func TestPlaceDoctest(t *testing.T) {
	source := func(doc string) string {
		return "/// Text.\n///\n/// ```\n" + doc + "/// ```\npub fn f() {\n    panic!()\n}\n" + strings.Repeat("\n", 20) + "fn far() { panic!() }\n"
	}
	for _, c := range []struct {
		name, text   string
		at           int // of the block
		line, column int // of the panic
		want         int
	}{
		{"plain", source("/// panic!();\n"), 3, 3, 1, 4},
		{"later", source("/// let x = 1;\n///\n/// # let y = 2;\n/// panic!();\n"), 3, 6, 1, 7},
		{"names the crate", source("/// use my_lib::f;\n/// panic!();\n"), 3, 6, 1, 5},
		{"declares the crate", source("/// extern crate my_lib;\n/// panic!();\n"), 3, 4, 1, 5},
		{"own main", source("/// fn main() {\n///     panic!();\n/// }\n"), 3, 3, 5, 5},
		{"attributes", source("/// #![allow(dead_code)]\n/// #![allow(unused)]\n/// panic!();\n"), 3, 6, 1, 6},
		{"indented", "/// * x\n///\n///   ```\n///   if true {\n///       panic!();\n///   }\n///   ```\nfn f() {}\n", 3, 4, 5, 5},
		{"block comment, counted wrong", "/**\nText.\n\n```\nlet a = 1;\npanic!();\n```\n*/\npub fn f() {}\n", 3, 4, 1, 6},
		{"the code under test", source("/// my_lib::far();\n"), 3, 29, 12, 29},
		{"where code and block can both be", "fn a(x: bool) {\n\n    if x { panic!() }\n}\n/// ```\n/// let y = 1; panic!();\n/// ```\nfn g() {}\n", 5, 3, 12, 5},
		{"rustdoc's own line", source("/// let y: i32 = \"x\".parse()?;\n/// # Ok::<(), std::num::ParseIntError>(())\n"), 3, 5, 35, 3},
		{"attributes of the crate", "#![doc(test(attr(deny(warnings))))]\n" + source("/// panic!();\n"), 4, 3, 1, 4},
		{"no block there", "fn f() {}\n", 1, 3, 1, 1},
	} {
		s := suite{c: &Call{Dir: t.TempDir()}, crate: "my_lib", root: "lib.rs"}
		if err := os.WriteFile(filepath.Join(s.c.Dir, "lib.rs"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := failureEvent{Type: "panic", File: "lib.rs", Line: c.line, column: c.column}
		name := "lib.rs - f (line " + string(rune('0'+c.at)) + ")"
		if s.placeDoctest(&f, name); f.Line != c.want || f.File != "lib.rs" {
			t.Errorf("%s: %s:%d, not %d", c.name, f.File, f.Line, c.want)
		}
		for _, f := range []failureEvent{{}, {Type: "panic", File: "/tmp/rustdoctestX/doctest_bundle_2024.rs", Line: 40, column: 1}} {
			if s.placeDoctest(&f, name); f.Line != c.at || f.File != "lib.rs" {
				t.Errorf("%s: without a line of its own: %s:%d", c.name, f.File, f.Line)
			}
		}
		f = failureEvent{Type: "panic", File: "src/other.rs", Line: 9, column: 5}
		if s.placeDoctest(&f, name); f.Line != 9 || f.File != "src/other.rs" {
			t.Errorf("%s: in another file: %s:%d", c.name, f.File, f.Line)
		}
	}
}
