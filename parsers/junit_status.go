package parsers

import (
	"strings"

	"factgate/facts"
)

// status reads the values of status= and result=: the worst of them, and the first that is not known.
func (d *junitDoc) status(k *junitCase, t *tag) {
	word := func(v []byte) {
		w := strings.ToLower(strings.TrimSpace(clean64(v)))
		k.words = append(k.words, w)
		s, known := statusWord(w)
		switch {
		case !known && k.unknown == "":
			k.unknown = w
		case s == facts.Skipped && known:
			if k.saidKind = skipKind(w); w == "suppressed" {
				k.saidKind = "disabled"
			}
		}
		if known && severity(s) > severity(k.said) {
			k.said = s
		}
	}
	k.said = facts.Passed
	t.all("status", word)
	t.all("result", word)
}

// severity orders the ends that a word can tell of.
func severity(s facts.Status) int {
	switch s {
	case facts.Passed:
		return 1
	case facts.Skipped:
		return 2
	case facts.Failed:
		return 3
	case facts.Errored:
		return 4
	}
	return 0
}

// statusWord reads one lower-case value of status= or result=.
func statusWord(w string) (s facts.Status, known bool) {
	switch w {
	case "", "run", "passed", "pass", "ok", "success", "successful", "succeeded", "completed", "complete", "executed", "true":
		return facts.Passed, true
	case "failed", "fail", "failure", "false", "not ok":
		return facts.Failed, true
	case "error", "errored", "broken", "crashed", "aborted", "timeout", "timedout", "timed_out":
		return facts.Errored, true
	case "notrun", "not_run", "not run", "skipped", "skip", "suppressed", "disabled", "ignored", "pending", "todo", "xfail", "inconclusive":
		return facts.Skipped, true
	}
	return facts.StatusUnknown, false
}
