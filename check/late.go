package check

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"factgate/facts"
	"factgate/record"
)

// lateWriters casts doubt on results that something wrote after the leader had ended.
func lateWriters(r *record.Record, dirs ...string) {
	if r.Run.Exit.Strays == 0 || r.Run.Exit.StartError != "" {
		return
	}
	end := r.Started.Add(r.Run.Exit.Duration + 250*time.Millisecond)
	for _, f := range r.Run.Results.Files {
		if slices.ContainsFunc(dirs, func(dir string) bool { return writtenAfter(filepath.Join(dir, f.Path), end) }) {
			r.Run.Results.Problems = append(r.Run.Results.Problems, facts.Problem{Code: "late", Path: f.Path, Weight: facts.Incomplete,
				Detail: f.Path + " was written after the program had ended, by a process that it left behind"})
		}
	}
}

func writtenAfter(path string, end time.Time) bool {
	info, err := os.Lstat(path)
	return err == nil && info.ModTime().After(end)
}
