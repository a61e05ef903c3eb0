//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// checked is one check of a report, or one line of factgate log --format json.
type checked struct {
	Name    string   `json:"name"`
	Outcome string   `json:"outcome"`
	Reasons []string `json:"reasons"`
	Record  string   `json:"record"`
}

// logged reads the lines of factgate log --format json.
func logged(text string) (list []checked) {
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		var c checked
		if l != "" && json.Unmarshal([]byte(l), &c) == nil {
			list = append(list, c)
		}
	}
	return list
}

// holds holds, after the script, what must hold for every row, and the script's own words.
func holds(r row, p place, e end) (why []string) {
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	switch {
	case e.Hung:
		say("IN_TIME: the script was still running after %s", hung)
	case e.Code != 0:
		say("the script ended with %d", e.Code)
	}
	if len(e.Survivors) > 0 {
		say("NO_ALIVE: %d processes are alive 2 s after the end: %s", len(e.Survivors), strings.Join(e.Survivors[:min(5, len(e.Survivors))], "; "))
	}
	why = append(why, asked(r, p)...)
	factgate := strings.TrimPrefix(strings.Split(p.env[0], ":")[0], "PATH=") + "/factgate"
	code, said := status(p, factgate)
	if r.Passes == "never" && code == 0 {
		say("NEVER_PASSED: factgate status ends with 0: %s", firstLine([]string{said}))
	}
	// From here on the configuration is one that can be read, whatever the row made of it.
	restore(filepath.Dir(p.repo))
	_ = os.RemoveAll(filepath.Join(p.repo, "factgate.toml"))
	if err := os.WriteFile(filepath.Join(p.repo, "factgate.toml"), []byte(seedConfig), 0o644); err != nil {
		say("%v", err)
	}
	log, err := p.run(factgate, "log", "--format", "json")
	if err != nil {
		say("STORE_OK: %v", err)
	}
	for _, c := range logged(log) {
		if slices.Contains(p.seeds, c.Record) {
			continue
		}
		switch {
		case r.Passes == "never" && c.Outcome == "passed":
			say("NEVER_PASSED: record %s of %s says passed", c.Record, c.Name)
		case r.Passes == "always" && c.Outcome != "passed":
			say("record %s of %s says %s %v", c.Record, c.Name, c.Outcome, c.Reasons)
		}
	}
	if !r.Tampers {
		why = append(why, stored(p, factgate)...)
	}
	return why
}

// asked holds what verify.go wrote down of each call of factgate.
func asked(r row, p place) (why []string) {
	text, _ := os.ReadFile(filepath.Join(p.out, "calls.jsonl"))
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var c call
		if l == "" || json.Unmarshal([]byte(l), &c) != nil {
			continue
		}
		if r.Passes == "never" && c.Words[0] == "verify" && (c.Code == 0 || c.Verdict == "passed") {
			why = append(why, fmt.Sprintf("NEVER_PASSED: factgate %s ended with %d (verdict %q)", strings.Join(c.Words, " "), c.Code, c.Verdict))
		}
		if c.Late {
			why = append(why, fmt.Sprintf("IN_TIME: factgate %s was still running after %s", strings.Join(c.Words, " "), r.Limit))
		}
	}
	return why
}

func status(p place, factgate string) (code int, said string) {
	said, err := p.run(factgate, "status")
	return exitCode(err), said
}

// stored holds that every earlier record file is there, byte for byte, and that all records open.
func stored(p place, factgate string) (why []string) {
	now, err := digests(p.state)
	if err != nil {
		why = append(why, "STORE_OK: "+err.Error())
	}
	for path, digest := range p.earlier {
		if now[path] != digest {
			why = append(why, "STORE_OK: an earlier record changed or is gone: "+path)
		}
	}
	if said, err := p.run(factgate, "audit"); err != nil {
		why = append(why, "STORE_OK: "+err.Error()+" "+said)
	}
	return why
}

// digests are the digests of all record files below a state directory.
func digests(state string) (map[string]string, error) {
	all := map[string]string{}
	for _, folder := range []string{"records", "chains"} {
		err := filepath.WalkDir(filepath.Join(state, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			sum := sha256.Sum256(data)
			all[strings.TrimPrefix(path, state)] = hex.EncodeToString(sum[:])
			return err
		})
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// panicText is what a crashed Go program prints.
var panicText = regexp.MustCompile(`(?m)^(panic: |fatal error: |goroutine \d+ \[|runtime: )|internal error`)
