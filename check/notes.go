package check

import (
	"fmt"
	"os"
	"strings"

	"factgate/facts"
)

// notes are what the facts show beside the outcome.
func notes(run facts.Run) (out []string) {
	if n := run.Exit.Strays; n > 0 && run.Exit.Lost != "" {
		out = append(out, many(n, "%d process was left of the run and was ended", "%d processes were left of the run and were ended"))
	} else if n > 0 {
		out = append(out, many(n, "%d process outlived the program and was ended", "%d processes outlived the program and were ended"))
	}
	for _, d := range run.Exit.Daemons {
		out = append(out, "left alone, a known daemon: "+d)
	}
	nested := 0
	for _, p := range run.Results.Processes {
		if p.Nested {
			nested++
		}
	}
	if nested > 0 {
		out = append(out, many(nested, "%d runner process was started by a test; it proves nothing here", "%d runner processes were started by tests; they prove nothing here"))
	}
	if n := run.Results.Counts.Cached; n > 0 {
		out = append(out, many(n, "%d case was replayed by the runner from its own cache", "%d cases were replayed by the runner from its own cache"))
	}
	for _, p := range run.Results.Problems {
		if p.Weight == facts.Note {
			out = append(out, p.Detail)
		}
	}
	if t := run.Tree.Touched; len(t) > 0 {
		out = append(out, "touched: written to while it ran, with the same bytes before and after: "+paths(t))
	}
	if len(out) > 20 {
		out = append(out[:20], fmt.Sprintf("and %d more notes in the record", len(out)-20))
	}
	return out
}

// tail reads the end of a log for display.
func tail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	const most = 4096
	data := make([]byte, min(info.Size(), most))
	n, _ := f.ReadAt(data, info.Size()-int64(len(data))) // a short read shows what there is
	s := string(data[:n])
	if info.Size() > most {
		if _, after, ok := strings.Cut(s, "\n"); ok {
			s = after
		}
	}
	return s
}
