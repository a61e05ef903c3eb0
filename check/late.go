package check

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"factgate/facts"
	"factgate/record"
)

// lateWriters casts doubt on results that something wrote after the leader had ended. It can have been a process that
// outlived the leader, and where there was none nothing is held against the clock of whoever keeps the files.
func lateWriters(r *record.Record, dirs ...string) {
	exit := r.Run.Exit
	if exit.Ended.IsZero() || exit.Strays+exit.StraysLeft+len(exit.Daemons) == 0 {
		return
	}
	for _, f := range r.Run.Results.Files {
		if slices.ContainsFunc(dirs, func(dir string) bool { return writtenAfter(filepath.Join(dir, f.Path), exit.Ended) }) {
			r.Run.Results.Problems = append(r.Run.Results.Problems, facts.Problem{Code: "late", Path: f.Path, Weight: facts.Incomplete,
				Detail: f.Path + " was written after the program had ended, by a process that it left behind"})
		}
	}
}

func writtenAfter(path string, end time.Time) bool {
	info, err := os.Lstat(path)
	return err == nil && info.ModTime().After(end)
}
