package check

import (
	"path/filepath"
	"testing"
	"time"

	"factgate/facts"
	"factgate/record"
)

// Results are late when something outlived the program and wrote after its end, by whatever little.
func TestLateWriters(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "r.xml"), "x")
	now := time.Now()
	for _, test := range []struct {
		name string
		exit facts.Exit
		late bool
	}{
		{"a stray, before the end", facts.Exit{Ended: now, Strays: 1}, false},
		{"a stray, after the end", facts.Exit{Ended: now.Add(-time.Minute), Strays: 1}, true},
		{"one that is still there", facts.Exit{Ended: now.Add(-time.Minute), StraysLeft: 1}, true},
		{"a daemon", facts.Exit{Ended: now.Add(-time.Minute), Daemons: []string{"gradle"}}, true},
		{"nobody: the clock of a file server", facts.Exit{Ended: now.Add(-time.Minute)}, false},
		{"not started", facts.Exit{Strays: 1}, false},
	} {
		r := record.Record{Run: facts.Run{Exit: test.exit, Results: facts.Results{Files: []facts.File{{Path: "r.xml"}}}}}
		lateWriters(&r, dir)
		if p := r.Run.Results.Problems; len(p) > 0 != test.late || test.late && p[0].Weight != facts.Incomplete {
			t.Errorf("%s: %+v", test.name, p)
		}
	}
}
