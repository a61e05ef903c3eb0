package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Finding is one thing that is wrong with a store.
type Finding struct {
	Chain    string `json:"chain,omitempty"`
	Position int64  `json:"position,omitempty"`
	ID       string `json:"id,omitempty"`
	Path     string `json:"path"` // relative to the store
	What     string `json:"what"` // a sentence
}

// Audit opens every record of the chains again, or of all chains when none is named, and says what is wrong: bytes that
// changed, verdicts that do not follow, positions that are missing or do not close, files that do not belong there. A
// chain that was cut off at its end cannot be told from a shorter one. An error means that the store could not be read.
func (s *Store) Audit(chains ...string) ([]Finding, error) {
	all := len(chains) == 0
	if all {
		var err error
		if chains, err = s.Chains(); err != nil {
			return nil, err
		}
	}
	a := audit{store: s, seen: map[string]place{}}
	for _, c := range chains {
		if !word(c) {
			a.find(Finding{Path: "chains/" + c, What: "It is not a chain."})
			continue
		}
		if err := a.chain(c); err != nil {
			return a.found, err
		}
	}
	if all {
		if err := a.records(); err != nil {
			return a.found, err
		}
	}
	return a.found, nil
}

type audit struct {
	store *Store
	found []Finding
	seen  map[string]place // by run id
}

type place struct {
	chain    string
	position int64
}

func (a *audit) find(f Finding) { a.found = append(a.found, f) }

// chain walks the positions in order.
func (a *audit) chain(chain string) error {
	folders, err := names(a.store.path("chains", chain))
	if err != nil {
		return err
	}
	end, err := a.store.last(chain)
	if err != nil {
		return err
	}
	var last int64
	var previous string
	for _, dir := range folders {
		files, err := names(a.store.path("chains", chain, dir))
		if err != nil {
			a.find(Finding{Chain: chain, Path: "chains/" + chain + "/" + dir, What: "It is not a folder of positions."})
			continue
		}
		for _, n := range files {
			at, ok := position(n)
			path := "chains/" + chain + "/" + dir + "/" + n
			if !ok || a.store.chainPath(chain, at) != a.store.path("chains", chain, dir, n) {
				a.find(Finding{Chain: chain, Path: path, What: "It does not belong there."})
				continue
			}
			for missing := last + 1; missing < at; missing++ {
				a.find(Finding{Chain: chain, Position: missing, Path: a.relative(a.store.chainPath(chain, missing)),
					What: "The position is missing."})
				previous = ""
				if missing-last > bucket { // a forged high number must not fill the page
					break
				}
			}
			previous = a.link(chain, at, path, previous, at == last+1, at == end)
			last = at
		}
	}
	return a.forgotten(chain)
}

// forgotten looks for runs that the index knows and the chain does not: an end that was cut off in a hurry.
func (a *audit) forgotten(chain string) error {
	folders, err := names(a.store.path("index", "chain", chain))
	if err != nil {
		return err
	}
	for _, dir := range folders {
		files, _ := names(a.store.path("index", "chain", chain, dir))
		for _, n := range files {
			at, id, ok := placed(n)
			path := "index/chain/" + chain + "/" + dir + "/" + n
			if !ok {
				a.find(Finding{Chain: chain, Path: path, What: "It does not belong there."})
				continue
			}
			if p, there := a.seen[id]; there && p == (place{chain, at}) {
				continue
			}
			if _, err := os.Lstat(a.store.chainPath(chain, at)); err != nil { // not one that was appended meanwhile
				a.find(Finding{Chain: chain, Position: at, ID: id, Path: path, What: "The index knows the run, and its record is gone."})
			}
		}
	}
	return nil
}

// link checks one position and returns the digest that the next one must name; empty when it cannot be known. joined says
// that the position before it is there, newest that none comes after it.
func (a *audit) link(chain string, at int64, path, previous string, joined, newest bool) string {
	f := Finding{Chain: chain, Position: at, Path: path}
	say := func(format string, args ...any) {
		f.What = fmt.Sprintf(format, args...)
		a.find(f)
	}
	r, data, err := a.store.open(a.store.path(filepath.FromSlash(path)))
	if err != nil {
		say("It cannot be believed: %v.", err)
		if data == nil {
			return ""
		}
		return hash(data)
	}
	f.ID = r.ID
	if r.Chain.Name != chain || r.Chain.Position != at {
		say("It is the record of position %d in chain %s.", r.Chain.Position, r.Chain.Name)
	} else if joined && previous != "" && r.Chain.Previous != previous {
		say("It does not follow the record before it.")
	}
	if p, twice := a.seen[r.ID]; twice {
		say("The run is also at position %d of chain %s.", p.position, p.chain)
	}
	a.seen[r.ID] = place{chain, at}
	a.copies(r, data, newest, say)
	if r.Collected != nil {
		return r.Collected.Digest
	}
	return hash(data)
}

// copies holds the record under its id and in the index against the one at its position. What is not there yet of the
// newest one is no finding: its writer is between two steps, or a full disk kept it from the second, and the next writer
// completes it.
func (a *audit) copies(r Record, data []byte, newest bool, say func(string, ...any)) {
	_, unfinished := a.store.mark(r.ID)
	unfinished = unfinished || newest
	same, err := read(a.store.recordPath(r.ID))
	switch {
	case unfinished && errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrNotExist):
		say("%s is missing.", a.relative(a.store.recordPath(r.ID)))
	case err != nil:
		say("%s: %v.", a.relative(a.store.recordPath(r.ID)), err)
	case !bytes.Equal(same, data) && !a.original(r, same):
		say("%s holds other bytes.", a.relative(a.store.recordPath(r.ID)))
	}
	want := entryOf(r, data)
	for _, path := range a.store.entryPaths(r) {
		line, err := read(path)
		e, ok := openEntry(line, a.store.secret)
		switch {
		case unfinished && errors.Is(err, fs.ErrNotExist):
		case err != nil:
			say("%s is missing: the run cannot be found by it.", a.relative(path))
		case !ok:
			say("%s was not written by this store.", a.relative(path))
		case e.ID != want.ID || e.Digest != want.Digest || e.Key != want.Key,
			e.RulesVersion == want.RulesVersion && !e.Verdict.Equal(want.Verdict):
			say("%s says something else than the record.", a.relative(path))
		}
	}
}

// original: a collection that was cut short leaves the tombstone at the position and the record under its id.
func (a *audit) original(r Record, data []byte) bool {
	return r.Collected != nil && hash(data) == r.Collected.Digest
}

// records looks for files that are in no chain.
func (a *audit) records() error {
	folders, err := names(a.store.path("records"))
	if err != nil {
		return err
	}
	for _, dir := range folders {
		files, err := names(a.store.path("records", dir))
		if err != nil {
			a.find(Finding{Path: "records/" + dir, What: "It is not a folder of records."})
			continue
		}
		for _, n := range files {
			id, ok := strings.CutSuffix(n, ".json")
			path := "records/" + dir + "/" + n
			if !ok || !validID(id) || a.store.recordPath(id) != a.store.path("records", dir, n) {
				a.find(Finding{Path: path, What: "It does not belong there."})
				continue
			}
			if _, ok := a.seen[id]; !ok && !a.claimedSince(path) {
				a.find(Finding{ID: id, Path: path, What: "The record is in no chain."})
			}
		}
	}
	return nil
}

// claimedSince: another process appended the record after its chain was walked.
func (a *audit) claimedSince(path string) bool {
	r, data, err := a.store.open(a.store.path(filepath.FromSlash(path)))
	if err != nil {
		return false
	}
	there, err := read(a.store.chainPath(r.Chain.Name, r.Chain.Position))
	return err == nil && bytes.Equal(there, data)
}

func (a *audit) relative(path string) string {
	rel, err := filepath.Rel(a.store.dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}
