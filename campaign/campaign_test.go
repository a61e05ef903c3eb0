//go:build linux

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPageIsFresh: the rows of docs/reliability.md are those of the data, word for word. How they ended is the last run's.
func TestPageIsFresh(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil {
		t.Fatal(err)
	}
	before, after, err := aroundTable(string(text))
	if err != nil {
		t.Fatal(err)
	}
	table := string(text)[len(before) : len(text)-len(after)]
	results := map[string]string{}
	for _, l := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(l, "| "), " | ")
		if len(cells) == 4 {
			results[cells[0]] = strings.ReplaceAll(cells[3], "\\", "")
		}
	}
	all, err := rows()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Errorf("only %d rows", len(all))
	}
	for _, r := range all {
		if results[r.ID] == "" || results[r.ID] == "not run" || results[r.ID] == "failed" {
			t.Errorf("%s: the page says %q of it", r.ID, results[r.ID])
		}
	}
	if want := tableOf(all, results); want != table {
		t.Errorf("%s is stale: go run ./campaign -write", page)
	}
}

// bad are rows that must not hold, each with a word of what is then said.
const bad = `
=== bad.survivor
fault: x
holds: x
passes: either
--- script
setsid sleep 60 &
=== bad.passed
fault: x
holds: x
passes: never
--- script
verify 0
--- runner
evil green=$1
=== bad.passed-by-hand
fault: x
holds: x
passes: never
--- script
factgate verify >/dev/null
--- runner
evil green=$1
=== bad.alarm
fault: x
holds: x
passes: always
--- script
factgate verify >/dev/null || :
--- runner
exit 0
=== bad.store
fault: x
holds: x
passes: either
--- script
for f in $STATE/records/*/*; do echo >>$f; break; done
=== bad.gone
fault: x
holds: x
passes: either
--- script
rm -r $STATE/records
=== bad.late
fault: x
holds: x
passes: either
limit: 300ms
--- script
verify '*' || :
--- runner
sleep 1
=== bad.script
fault: x
holds: x
passes: either
--- script
verify 1
--- runner
evil green=$1
=== bad.want
fault: x
holds: x
passes: either
--- script
verify 0
want checks.0.counts.passed 3
--- runner
evil green=$1
=== bad.sweep
fault: x
holds: x
passes: either
needs: strace
--- script
sweep sethostname EPERM 1 2
--- runner
evil green=$1
`

// TestHarnessSees: a harness that sees nothing would be green, too.
func TestHarnessSees(t *testing.T) {
	want := map[string]string{"survivor": "NO_ALIVE", "passed": "NEVER_PASSED", "passed-by-hand": "NEVER_PASSED", "alarm": "says unproven",
		"store": "STORE_OK", "gone": "STORE_OK", "late": "IN_TIME", "script": "ended with 1", "want": "ended with 1", "sweep": "ended with 1"}
	rows, err := parseRows(bad)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows", len(rows))
	}
	h := harnessOf(t)
	for _, r := range rows {
		if why := h.machine.lacks(r); why != "" {
			if os.Getenv("FACTGATE_REQUIRE_TOOLS") != "" {
				t.Fatal(why)
			}
			t.Skip(why)
		}
		got := h.row(r)
		t.Log(r.ID, got.took)
		if said := strings.Join(got.why, "\n"); got.state != broken || !strings.Contains(said, want[strings.TrimPrefix(r.ID, "bad.")]) {
			t.Errorf("%s: %s %s", r.ID, got.state, said)
		}
	}
}

// harnessOf is a harness whose tools are this test binary: TestMain plays them.
func harnessOf(t *testing.T) *harness {
	t.Helper()
	h, err := newHarness(options{times: 1, jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.close)
	return h
}

func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); tools()[name] != nil || len(os.Args) > 1 && os.Args[1] == insideWord {
		main()
	}
	os.Exit(m.Run())
}

func TestParseRows(t *testing.T) {
	got, err := parseRows("words\n\n=== area.name\nfault: one\n two\nholds: it\npasses: never\nlimit: 3s\nneeds: root strace\n--- script\nverify 3\n\n--- runner\nexit 0\n--- sub/a.txt\na\n\n")
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	r := got[0]
	if r.Fault != "one two" || r.Limit != 3*time.Second || !slices.Equal(r.Needs, []string{"root", "strace"}) || r.Script != "verify 3\n" ||
		!slices.Equal(r.Files, []file{{"run.sh", "exit 0\n"}, {"sub/a.txt", "a\n"}}) {
		t.Errorf("%+v", r)
	}
	for _, text := range []string{"=== noarea\nfault: x\nholds: x\nlater: x", "=== a.b\nfault: x\nholds: x\npasses: never", "=== a.b\nfault: x\nholds: x\n--- script\ntrue",
		"=== a.b\nholds: x\nlater: x", "=== a.b\nfault: x\nholds: x\nodd: x\nlater: x"} {
		if _, err := parseRows(text); err == nil {
			t.Errorf("%q is a row", text)
		}
	}
}

func TestChoose(t *testing.T) {
	all := []row{{ID: "a.one"}, {ID: "a.two"}, {ID: "b.one"}}
	for patterns, want := range map[string]int{"": 3, "a.*": 2, "a.one,*.one": 2, "b.one": 1} {
		if got, err := choose(all, patterns); err != nil || len(got) != want {
			t.Errorf("%q: %v %v", patterns, got, err)
		}
	}
	if _, err := choose(all, "a.three"); err == nil {
		t.Error("a pattern that names nothing is no error")
	}
}
