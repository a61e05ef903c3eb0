package verdict_test

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"factgate/verdict"
)

var update = flag.Bool("update", false, "rewrite docs/verdict.md")

//go:embed testdata/intro.md
var intro string

const page = "../docs/verdict.md"

// TestPage: docs/verdict.md is printed from the table of reasons and is not stale.
func TestPage(t *testing.T) {
	want := print()
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/verdict.md is not what the table says: go test ./verdict -update")
	}
}

func print() []byte {
	var b bytes.Buffer
	b.WriteString(strings.Replace(intro, "{version}", fmt.Sprint(verdict.Version), 1))
	section := func(title, text string, want func(verdict.Description) bool) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| reason | what it means | what to do |\n| --- | --- | --- |\n", title, text)
		for _, r := range verdict.Reasons() {
			if d := verdict.Describe(r); want(d) {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r, d.Means, d.Next)
			}
		}
	}
	section("Failed", "The code under test failed, or the run of it did. Exit code 1.",
		func(d verdict.Description) bool { return d.Outcome == verdict.Failed })
	section("Unproven", "Nothing failed that we know of, and nothing was proven either. Exit code 3.",
		func(d verdict.Description) bool { return d.Outcome == verdict.Unproven && !d.Standing })
	section("Standing reasons", "These come from other records and from now. They turn a passed run into an unproven one, and\nnever stand in the run's own record.",
		func(d verdict.Description) bool { return d.Standing })
	return b.Bytes()
}
