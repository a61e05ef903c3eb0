package main

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// writer prints lines and keeps the first error, so that a caller checks once.
type writer struct {
	w   io.Writer
	err error
}

func (w *writer) line(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.w, format+"\n", args...)
	}
}

// printed is what remains of an error in printing: a reader that went away wants no more, and changes nothing.
func printed(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
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
