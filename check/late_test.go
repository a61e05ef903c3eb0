package check

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"factgate/facts"
	"factgate/record"
)

// TestLateWriters: results that something wrote after the program's end are doubtful where something was left behind.
func TestLateWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results.xml")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	started := time.Now().Add(-time.Minute)
	for _, c := range []struct {
		name    string
		written time.Duration // after the start
		exit    facts.Exit
		late    bool
	}{
		{"before the end", 9 * time.Second, facts.Exit{Duration: 10 * time.Second, Strays: 1}, false},
		{"at the end", 10*time.Second + 100*time.Millisecond, facts.Exit{Duration: 10 * time.Second, Strays: 1}, false},
		{"after the end", 11 * time.Second, facts.Exit{Duration: 10 * time.Second, Strays: 1}, true},
		{"after the end, by nobody of the run", 11 * time.Second, facts.Exit{Duration: 10 * time.Second}, false},
	} {
		at := started.Add(c.written)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		r := record.Record{Started: started}
		r.Run.Exit, r.Run.Results.Files = c.exit, []facts.File{{Path: "results.xml"}}
		lateWriters(&r, filepath.Join(dir, "nowhere"), dir)
		problems := r.Run.Results.Problems
		if late := len(problems) == 1 && problems[0].Code == "late" && problems[0].Weight == facts.Incomplete; late != c.late {
			t.Errorf("%s: %v", c.name, problems)
		}
	}
}
