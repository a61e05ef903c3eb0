package record

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	for s, want := range map[string]bool{
		"a": true, "A9_-.x": true, "-a": true, "_": true, strings.Repeat("k", 128): true,
		"": false, ".": false, "..": false, ".a": false, "a/b": false, `a\b`: false, "a b": false, "é": false, "a\n": false, "a:b": false,
		strings.Repeat("k", 129): false,
	} {
		if word(s) != want {
			t.Errorf("word(%q) is %v", s, !want)
		}
	}
}
