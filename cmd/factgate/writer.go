package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"factgate/facts"
)

// writer prints lines and keeps the first error, so that a caller checks once.
type writer struct {
	w   io.Writer
	err error
}

func (w *writer) line(format string, args ...any) {
	if w.err == nil {
		_, w.err = io.WriteString(w.w, strings.TrimRight(fmt.Sprintf(format, args...), " ")+"\n")
	}
}

// printed is what remains of an error in printing: a reader that went away wants no more, and changes nothing.
func printed(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// plural counts in words: 1 record, 2 records.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// caseWords says how many cases there are, and how they ended.
func caseWords(head string, n facts.Counts) string {
	return fmt.Sprintf("%s: %d passed, %d failed, %d errored, %d skipped, %d flaky, %d cached", head, n.Passed, n.Failed, n.Errored, n.Skipped, n.Flaky, n.Cached)
}

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// textOrJSON refuses any other word of --format.
func textOrJSON(format string) error {
	if format != "text" && format != "json" {
		return fail("--format text or --format json", "unknown --format %q", format)
	}
	return nil
}
