package runners

import (
	"slices"
	"strings"
	"testing"

	"factgate/shim"
)

// TestGoFlagsAreCleanedAlike: what goes from the variable GOFLAGS goes from go env -w too.
func TestGoFlagsAreCleanedAlike(t *testing.T) {
	var names []string
	for _, s := range goTest().Scrub {
		if s.Name == "GOFLAGS" {
			for _, f := range s.Flags {
				if f := strings.Trim(f, "-!"); !strings.HasPrefix(f, "test.") {
					names = append(names, f)
				}
			}
		}
	}
	if !slices.Equal(names, shim.GoFlagWords()) {
		t.Errorf("the table says %q, the shim %q", names, shim.GoFlagWords())
	}
}

func TestShimNamesAreKnown(t *testing.T) {
	for _, r := range []Runner{goTest(), cargoTest()} {
		for _, name := range r.Shims {
			if !slices.Contains(shim.Names(), name) {
				t.Errorf("%s: the shim does not know the name %q", r.Name, name)
			}
		}
	}
}
