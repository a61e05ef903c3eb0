package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed rows/*.txt
var rowFiles embed.FS

// row is one fault and what must hold. Its text begins with "=== ID", then "key: value" lines (a line that begins with a
// blank goes on with the one before), then sections "--- PATH": files of the repository, and of these two are special:
//
//	--- script   run by sh -eu in the repository, with the tools of tools.go on PATH
//	--- runner   the test program, kept as run.sh; $1 is where its results belong
//
// A row without factgate.toml gets one check, c, whose program is run.sh and whose results are JUnit XML.
type row struct {
	ID       string // area.name
	Fault    string
	Holds    string
	Passes   string        // never, always, either: may a record of this row be passed?
	Priority int           // 1 first
	Needs    []string      // of the machine: root, strace, cgroup, tmpfs, a program, or command:NAME of factgate
	Limit    time.Duration // one factgate verify may take
	Times    int           // how often the script repeats what must hold; for the page
	Known    string        // why it fails today; it is run all the same, and told when it holds
	Later    string        // what is not there yet, so that it cannot be run
	Git      bool          // the repository is one of git, with one commit
	Tampers  bool          // it changes the store itself: earlier records are not held
	Script   string
	Files    []file
}

type file struct{ path, text string }

// rows reads all rows, in the order of the files.
func rows() ([]row, error) {
	names, err := fs.Glob(rowFiles, "rows/*.txt")
	if err != nil {
		return nil, err
	}
	var all []row
	for _, name := range names {
		text, err := rowFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		got, err := parseRows(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		area := strings.TrimSuffix(path.Base(name), ".txt")
		for _, r := range got {
			if !strings.HasPrefix(r.ID, area+".") {
				return nil, fmt.Errorf("%s: %s: its id does not begin with %s", name, r.ID, area+".")
			}
			if slices.ContainsFunc(all, func(o row) bool { return o.ID == r.ID }) {
				return nil, fmt.Errorf("%s: %s is there twice", name, r.ID)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// parseRows reads one file of rows.
func parseRows(text string) ([]row, error) {
	var all []row
	for i, part := range strings.Split("\n"+text, "\n=== ") {
		if i == 0 {
			continue // the words before the first row
		}
		r, err := parseRow(part)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.ID, err)
		}
		all = append(all, r)
	}
	return all, nil
}

func parseRow(text string) (row, error) {
	sections := strings.Split(text, "\n--- ")
	id, head, _ := strings.Cut(sections[0], "\n")
	r := row{ID: strings.TrimSpace(id), Priority: 2, Limit: 15 * time.Second, Times: 1, Git: true}
	var lines []string
	for _, l := range strings.Split(head, "\n") {
		if strings.HasPrefix(l, " ") && len(lines) > 0 {
			lines[len(lines)-1] += " " + strings.TrimSpace(l)
		} else if l != "" {
			lines = append(lines, l)
		}
	}
	for _, l := range lines {
		key, value, ok := strings.Cut(l, ":")
		if !ok {
			return r, fmt.Errorf("not a key and a value: %q", l)
		}
		if err := r.set(key, strings.TrimSpace(value)); err != nil {
			return r, err
		}
	}
	for _, s := range sections[1:] {
		name, body, _ := strings.Cut(s, "\n")
		body = strings.TrimRight(body, "\n") + "\n"
		switch name {
		case "script":
			r.Script = body
		case "runner":
			r.Files = append(r.Files, file{"run.sh", body})
		default:
			r.Files = append(r.Files, file{name, body})
		}
	}
	return r, r.sound()
}

func (r *row) set(key, value string) (err error) {
	switch key {
	case "fault":
		r.Fault = value
	case "holds":
		r.Holds = value
	case "passes":
		r.Passes = value
	case "priority":
		r.Priority, err = strconv.Atoi(value)
	case "needs":
		r.Needs = strings.Fields(value)
	case "limit":
		r.Limit, err = time.ParseDuration(value)
	case "times":
		r.Times, err = strconv.Atoi(value)
	case "known":
		r.Known = value
	case "later":
		r.Later = value
	case "git":
		r.Git = value != "none"
	case "tampers":
		r.Tampers = value == "yes"
	default:
		err = fmt.Errorf("unknown key %q", key)
	}
	return err
}

var idForm = regexp.MustCompile(`^[a-z]+\.[a-z0-9-]+$`)

// sound refuses a row that says too little to be held.
func (r *row) sound() error {
	switch {
	case !idForm.MatchString(r.ID):
		return fmt.Errorf("an id is area.name")
	case r.Fault == "" || r.Holds == "":
		return fmt.Errorf("it needs fault and holds")
	case r.Later != "" && r.Script == "":
		return nil
	case r.Script == "":
		return fmt.Errorf("it needs a script, or says by later what is not there yet")
	case !slices.Contains([]string{"never", "always", "either"}, r.Passes):
		return fmt.Errorf("passes is never, always or either")
	}
	return nil
}

// choose keeps the rows that patterns name; none means all.
func choose(all []row, patterns string) ([]row, error) {
	if patterns == "" {
		return all, nil
	}
	var chosen []row
	for _, p := range strings.Split(patterns, ",") {
		before := len(chosen)
		for _, r := range all {
			if ok, err := path.Match(p, r.ID); err != nil {
				return nil, fmt.Errorf("-rows %s: %w", p, err)
			} else if ok && !slices.ContainsFunc(chosen, func(c row) bool { return c.ID == r.ID }) {
				chosen = append(chosen, r)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("-rows %s: no row has this id (-list shows all)", p)
		}
	}
	return chosen, nil
}

// defaultConfig is the factgate.toml of a row that brings none.
const defaultConfig = `version = 1
[defaults]
timeout = "20s"
grace = "1s"
[checks.c]
runner = "mine"
[runners.mine]
command = ["sh", "run.sh", "{results}"]
results = { format = "junit" }
exits = { 0 = "clean", 1 = "tests_failed" }
`
