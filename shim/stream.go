package shim

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"factgate/facts"
)

// stream is a probe stream. It is written line by line, so that a process that is killed leaves what it knew.
type stream struct {
	dir   string
	base  string // file name without its ending; files beside it are named alike
	nonce string
	f     *os.File
	err   error // the first one; nothing is written after it, and so no end
}

type startEvent struct {
	E      string   `json:"e"`
	V      int      `json:"v"`
	Runner string   `json:"runner"`
	PID    int      `json:"pid"`
	Argv   []string `json:"argv"`
	Dir    string   `json:"dir"`
}

type caseEvent struct {
	E        string         `json:"e"`
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Suite    string         `json:"suite,omitempty"`
	File     string         `json:"file,omitempty"`
	Line     int            `json:"line,omitempty"`
	Status   facts.Status   `json:"status"`
	Kind     string         `json:"kind,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Failures []failureEvent `json:"failures,omitempty"`
}

type failureEvent struct {
	Message string `json:"message"`
	Type    string `json:"type,omitempty"`
	Text    string `json:"text,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`

	column int
}

type outsideEvent struct {
	E       string            `json:"e"`
	Kind    facts.OutsideKind `json:"kind"`
	Where   string            `json:"where,omitempty"`
	Message string            `json:"message"`
}

type problemEvent struct {
	E      string       `json:"e"`
	Code   string       `json:"code"`
	Detail string       `json:"detail"`
	Weight facts.Weight `json:"weight"`
}

type claimsEvent struct {
	E        string `json:"e"`
	Tests    int    `json:"tests"`
	Passed   int    `json:"passed"`
	Failures int    `json:"failures"`
	Skipped  int    `json:"skipped"`
}

type resultsEvent struct {
	E      string `json:"e"`
	Format string `json:"format"`
	File   string `json:"file"`
}

// endEvent carries the meaning of the status beside it: go and cargo use one code for many things, and we saw which it was.
// Where it is not known here, or clean, the runner's table says it.
type endEvent struct {
	E       string        `json:"e"`
	Status  int           `json:"status"`
	Meaning facts.Meaning `json:"meaning"`
}

// open starts a stream in the run's private directory. The name is this process's own, so that no stream overwrites another.
func (c *Call) open(kind string) *stream {
	var nonce [6]byte
	rand.Read(nonce[:]) // never fails
	s := &stream{dir: get(c.Env, envRunDir), nonce: hex.EncodeToString(nonce[:])}
	s.base = kind + "-" + strconv.Itoa(os.Getpid()) + "-" + s.nonce
	var err error
	s.f, err = os.OpenFile(s.path(".probe"), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		s.err = err
		fmt.Fprintf(c.Stderr, "factgate: %s: cannot report to factgate: %v\n", c.Name, err)
	}
	return s
}

// path is that of a file that belongs to this stream.
func (s *stream) path(ending string) string { return filepath.Join(s.dir, s.base+ending) }

func (s *stream) start(runner string, argv []string, dir string) {
	s.write(startEvent{E: "start", V: 1, Runner: runner, PID: os.Getpid(), Argv: argv, Dir: dir})
}

func (s *stream) note(format string, args ...any) {
	s.write(struct {
		E    string `json:"e"`
		Text string `json:"text"`
	}{"note", fmt.Sprintf(format, args...)})
}

func (s *stream) nested() {
	s.write(struct {
		E string `json:"e"`
	}{"nested"})
}

// packages says where packages lie whose files the results name by their base alone.
func (s *stream) packages(folders map[string]string) {
	if len(folders) > 0 {
		s.write(struct {
			E       string            `json:"e"`
			Folders map[string]string `json:"folders"`
		}{"packages", folders})
	}
}

func (s *stream) planned(n int) {
	s.write(struct {
		E string `json:"e"`
		N int    `json:"n"`
	}{"planned", n})
}

func (s *stream) problem(code string, weight facts.Weight, format string, args ...any) {
	s.write(problemEvent{E: "problem", Code: code, Weight: weight, Detail: fmt.Sprintf(format, args...)})
}

func (s *stream) outside(kind facts.OutsideKind, where, format string, args ...any) {
	s.write(outsideEvent{E: "outside", Kind: kind, Where: where, Message: fmt.Sprintf(format, args...)})
}

// end closes the stream. There is no end line for a program that a signal ended: what it would have said is not known.
func (s *stream) end(what string, e facts.Exit, meaning facts.Meaning) {
	switch {
	case e.Signal != "":
		s.outside(facts.Crash, what, "%s was ended by %s", what, e.Signal)
	default:
		s.write(endEvent{E: "end", Status: e.Code, Meaning: meaning})
	}
	s.close()
}

// discard takes the stream back: there was nothing to report.
func (s *stream) discard() {
	s.close()
	os.Remove(s.path(".probe"))
}

func (s *stream) close() {
	if s.f != nil {
		s.f.Close()
	}
}

func (s *stream) write(event any) {
	if s.err != nil {
		return
	}
	line, err := json.Marshal(event)
	if err == nil {
		_, err = s.f.Write(append(line, '\n'))
	}
	s.err = err
}
