// Package config reads factgate.toml strictly and says every mistake in it at once, each with its line.
//
// The file is read once: the bytes that are hashed are the bytes that are parsed. A scanner of our own goes over them
// first. It bounds nesting and key length, because the TOML decoder takes minutes on hostile input, finds what is
// defined twice, and knows where every key stands. Then the decoder runs, and the outcome is held against one table of
// keys, from which docs/config.md and the JSON Schema are printed too.
//
// The package promises nothing to outsiders.
package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"factgate/facts"
	"factgate/verdict"
)

// Name is the name of the file.
const Name = "factgate.toml"

// File is what one factgate.toml declares.
type File struct {
	Path    string // absolute
	Root    string // absolute: the folder of the file
	Digest  string // SHA-256 of the bytes as they were read, hex
	Version int
	Jobs    int      // 0: the number of CPUs
	Checks  []Check  // in the order of the file
	Runners []Runner // in the order of the file
	Ignore  []string // root-relative slash globs
	Output  Output
	Store   Store

	keys positions
}

// Check is one [checks.NAME], with [defaults] and the built-in defaults merged into it.
type Check struct {
	Name          string
	Line          int // of its first mention
	Runner        string
	Dir           string // slash, relative to the root, cleaned; "." is the root
	Command, Args []string
	Env           map[string]string // an empty value removes the variable
	KeepEnv       []string
	Needs         []string
	Inputs        []string // root-relative slash globs; none: the whole tree
	Outputs       []string // root-relative slash globs
	Timeout       time.Duration
	Grace         time.Duration
	Rules         verdict.Rules
	Gate          string          // stop, push, ci or off
	Set           map[string]bool // the keys that the check itself gives, [defaults] not counted
}

// Runner is one [runners.NAME]: a test program of the user's own.
type Runner struct {
	Name          string
	Line          int
	Command       []string
	Env           map[string]string     // set for the run; {results} and {results_dir} are filled in as in Command
	Format        string                // name of the results format; that it exists is the caller's to see
	Glob          string                // slash, relative to the check's dir; empty: {results} or {results_dir} is used
	TotalsIgnored bool                  // the totals in the file count something else than cases
	Exits         map[int]facts.Meaning // nil: not given; then 0 is clean and all else is not
}

// Output caps what is kept of a run's output, in bytes.
type Output struct{ Head, Tail, Spool int64 }

// Store is what is kept of old records.
type Store struct {
	Runs  int           // runs per check
	Age   time.Duration // 0: no limit
	Bytes int64         // of the whole store; 0: no limit
}

// Load reads the file at path and reports every mistake in it, sorted by line. When there is one, nothing may be
// started, and of the File only Path, Root and, where the file could be read, Digest are to be used. Whether a runner or a results format exists is for the
// caller to see: At and Problem give it the position.
func Load(path string) (File, []Problem) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return File{Path: path}, []Problem{{File: Name, Text: fmt.Sprintf("cannot be found: %v", err)}}
	}
	f := File{Path: abs, Root: filepath.Dir(abs)}
	data, err := readFile(abs)
	if err != nil {
		return f, []Problem{unreadable(abs, err)}
	}
	return parse(f, data)
}

// parse is Load without the file system, but for the folders that dir names.
func parse(f File, data []byte) (File, []Problem) {
	sum := sha256.Sum256(data)
	f.Digest = hex.EncodeToString(sum[:])
	name := filepath.Base(f.Path)
	root, keys, problems := decode(name, data)
	f.keys = keys
	if root == nil {
		return f, sorted(problems)
	}
	r := &reader{file: name, keys: keys, problems: problems}
	if !r.version(root) {
		// The keys of another version mean something else: their mistakes would be noise.
		return f, sorted(r.problems)
	}
	r.table(root, "")
	r.build(&f, root)
	return f, sorted(r.problems)
}

// Find returns the path of the nearest factgate.toml at or above dir. The error is fs.ErrNotExist when there is none; a
// folder that cannot be looked into is an error too, for a file above it would speak for the wrong tree.
func Find(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", Name, err)
	}
	for at := dir; ; {
		path := filepath.Join(at, Name)
		// Lstat: a dangling link is there, and Load says what is wrong with it.
		_, err := os.Lstat(path)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("find %s: %w", Name, err)
		}
		up := filepath.Dir(at)
		if up == at {
			return "", fmt.Errorf("find %s in %s or above: %w", Name, dir, fs.ErrNotExist)
		}
		at = up
	}
}

// At returns the line and column of a key (At("checks", "api", "runner")), or of the nearest key around it that is in
// the file; 0, 0 when there is none.
func (f File) At(key ...string) (line, column int) { return f.keys.at(key) }

// Problem makes a problem at a key, in the words that Load's own have.
func (f File) Problem(text, hint string, key ...string) Problem {
	line, column := f.At(key...)
	return Problem{File: filepath.Base(f.Path), Line: line, Column: column, Text: dotted(key) + ": " + text, Hint: hint}
}
