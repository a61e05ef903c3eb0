package shim

import (
	"bytes"
	"io"
	"slices"

	"factgate/facts"
)

// then stands between the two steps of factgate-cargo. No argument of cargo or of nextest is spelled like it.
const then = "--then"

// noLibrary begins cargo's last line where "cargo test --doc" was asked of packages without a library
// (cargo 1.95, src/cargo/ops/cargo_compile/unit_generator.rs).
const noLibrary = "error: no library targets found in package"

// stepsMain acts as two calls of cargo, ARG... --then ARG..., of which the first is cargo nextest run and the second cargo
// test --doc: nextest runs no doctests. Each reports itself in a stream of its own.
//
// The doctests are run after failing tests too, but not where nextest itself did not get through. The first status that is
// not 0 counts. That there is no library, and so no doctest, is no failure.
func (c *Call) stepsMain() facts.Exit {
	at := slices.Index(c.Args, then)
	if at < 0 || get(c.Env, envRunDir) == "" || c.nested() {
		return c.fail(errByHand)
	}
	tests, docs := *c, *c
	tests.Name, tests.Args, tests.first = nameCargo, c.Args[:at], true
	first := tests.cargoMain()
	switch {
	case first.Signal != "" || first.Cancelled != "":
		return first
	case first.Code != 0 && nextestMeaning(first) != facts.TestsFailed:
		return first
	}
	docs.Args = c.Args[at+1:]
	second := docs.docs()
	if first.Code != 0 && second.Signal == "" {
		return first
	}
	return second
}

// docs acts as cargo test --doc.
func (c *Call) docs() facts.Exit {
	cargo := *c
	cargo.Name = nameCargo
	real, err := cargo.real(envRealCargo)
	if err != nil {
		return c.fail(err)
	}
	_, at := cargoCommand(c.Args)
	if at == len(c.Args) {
		return c.fail(errByHand)
	}
	s := c.open("cargo")
	s.start("cargo", append([]string{nameCargo}, c.Args...), c.Dir)
	return c.tests(s, append([]string{real}, c.Args...), at, &withheld{to: c.Stderr, begins: noLibrary})
}

// withheld hands on what is written to it, but for a last line that begins in a certain way.
type withheld struct {
	to     io.Writer
	begins string
	held   []byte // the line that began so, if it is the last
	part   []byte // of a line that has not ended
}

// Write takes the next bytes.
func (w *withheld) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			w.part = append(w.part, b...)
			break
		}
		w.part = append(w.part, b[:i+1]...)
		b = b[i+1:]
		if err := w.line(); err != nil {
			return 0, err
		}
	}
	if len(w.part) > maxTextLine {
		return n, w.line()
	}
	return n, nil
}

// line takes what has come together.
func (w *withheld) line() error {
	last := w.held
	w.held = nil
	if bytes.HasPrefix(uncoloured(w.part), []byte(w.begins)) {
		w.held = bytes.Clone(w.part)
		w.part = w.part[:0]
	}
	if _, err := w.to.Write(append(last, w.part...)); err != nil {
		return err
	}
	w.part = w.part[:0]
	return nil
}

// close drops the line that was held back, if there is one, or else hands everything on.
func (w *withheld) close(drop bool) (dropped bool) {
	if drop && len(w.held) > 0 && len(w.part) == 0 {
		return true
	}
	w.to.Write(append(w.held, w.part...)) // nobody is left to tell of an error
	return false
}

// uncoloured is text without the colours that CARGO_TERM_COLOR=always puts into it.
func uncoloured(text []byte) []byte {
	for {
		i := bytes.Index(text, []byte("\x1b["))
		if i < 0 {
			return text
		}
		n := bytes.IndexByte(text[i:], 'm')
		if n < 0 {
			return text
		}
		text = slices.Concat(text[:i], text[i+n+1:])
	}
}
