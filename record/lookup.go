package record

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strconv"
	"strings"

	"factgate/verdict"
)

// ByKey gives the runs of a key in the whole store, newest first, as far as they can matter for what the key proves:
// behind a readable run of the whole check, clean ones are passed over unread. An error stands for one run that could not
// be read, or whose record is gone; its entry holds the id.
func (s *Store) ByKey(key string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if !word(key) {
			return
		}
		answered := false
		s.newest(s.keyDir(key), func(name string) bool { return answered && strings.HasSuffix(name, cleanMark) }, func(e Entry, err error) bool {
			if err == nil {
				_, err = os.Lstat(s.recordPath(e.ID)) // an entry without its record proves nothing
			}
			if err == nil && e.Key != key {
				err = &FormatError{fmt.Sprintf("the index has run %s under a key that is not its own", e.ID)}
			}
			answered = answered || err == nil && !e.Run.Focused && e.Run.NotStarted == nil
			return yield(e, err)
		})
	}
}

// newest walks a folder of entries that are named by their ids.
func (s *Store) newest(dir string, skip func(name string) bool, yield func(Entry, error) bool) {
	list, err := names(s.path(dir))
	if err != nil {
		yield(Entry{}, err)
		return
	}
	for i := len(list) - 1; i >= 0; i-- {
		id := strings.TrimSuffix(list[i], cleanMark)
		if !validID(id) || skip(list[i]) {
			continue
		}
		e, err := s.entry(s.path(dir, list[i]), id)
		if !yield(e, err) {
			return
		}
	}
}

// entry reads an index entry, and where it is damaged or was decided by other rules the record that it was made from.
func (s *Store) entry(path, id string) (Entry, error) {
	line, err := read(path)
	if err == nil {
		if e, ok := openEntry(line, s.secret); ok && e.ID == id && e.RulesVersion == verdict.Version {
			return e, nil
		}
	}
	r, data, err := s.open(s.recordPath(id))
	if err == nil && r.ID != id {
		err = &FormatError{"it is the record of " + r.ID}
	}
	if err != nil {
		return Entry{Record: Record{ID: id}}, fmt.Errorf("record %s: %w", id, err)
	}
	e := entryOf(r, data)
	if line, err := e.seal(s.secret); err == nil {
		s.replace(path, line) // best effort: the answer does not depend on it
	}
	return e, nil
}

// entryAt finds the entry at a position of a chain.
func (s *Store) entryAt(chain string, position int64) (Entry, bool) {
	dir := s.path("index", "chain", chain, folder(position))
	list, _ := names(dir)
	for i := len(list) - 1; i >= 0; i-- {
		if p, id, ok := placed(list[i]); ok && p == position {
			e, err := s.entry(s.path("index", "chain", chain, folder(position), list[i]), id)
			return e, err == nil && e.Chain.Position == position && e.Chain.Name == chain
		}
	}
	return Entry{}, false
}

// placed reads 000000042-ID.
func placed(name string) (position int64, id string, ok bool) {
	digits, id, ok := strings.Cut(name, "-")
	position, err := strconv.ParseInt(digits, 10, 64)
	return position, id, ok && err == nil && position > 0 && validID(id)
}

// Proof answers for a key by today's policy. A run that cannot be read is named in Lost: an unreadable newest one leaves
// the key open, and older ones are passed over.
func (s *Store) Proof(key string, p Policy) Proof {
	var lost []string
	unread := false
	readable := func(yield func(Entry) bool) {
		first := true
		for e, err := range s.ByKey(key) {
			if err != nil {
				lost = append(lost, e.ID)
				unread = unread || first
				continue
			}
			first = false
			if !yield(e) {
				return
			}
		}
	}
	proof := Prove(readable, p)
	if unread && proof.State == ProofProven {
		proof.State = ProofOpen
	}
	proof.Lost = lost
	return proof
}

// Get reads a whole record by its id or by a beginning that names one only. The errors are ErrNotFound, AmbiguousError
// and those of Open.
func (s *Store) Get(prefix string) (Record, error) {
	id, err := s.resolve(strings.ToUpper(prefix))
	if err != nil {
		return Record{}, err
	}
	r, _, err := s.open(s.recordPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, fmt.Errorf("%q: %w", prefix, ErrNotFound)
	}
	if err == nil && r.ID != id {
		err = &FormatError{"it is the record of " + r.ID}
	}
	if err != nil {
		return Record{}, fmt.Errorf("record %s: %w", id, err)
	}
	return r, nil
}

func (s *Store) resolve(prefix string) (string, error) {
	if validID(prefix) {
		return prefix, nil
	}
	var found []string
	folders, err := names(s.path("records"))
	if err != nil {
		return "", err
	}
	for _, f := range folders {
		if prefix == "" || !strings.HasPrefix(prefix, f) && !strings.HasPrefix(f, prefix) {
			continue
		}
		files, err := names(s.path("records", f))
		if err != nil {
			return "", err
		}
		for _, n := range files {
			if id, ok := strings.CutSuffix(n, ".json"); ok && validID(id) && strings.HasPrefix(id, prefix) {
				found = append(found, id)
			}
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%q: %w", prefix, ErrNotFound)
	case 1:
		return found[0], nil
	}
	return "", &AmbiguousError{prefix, found[:min(3, len(found))]}
}

// Latest is the newest run of a check in a chain that can be read, or ErrNotFound.
func (s *Store) Latest(chain, check string) (Entry, error) {
	if !word(chain) {
		return Entry{}, &FormatError{fmt.Sprintf("chain name %q", chain)}
	}
	var found Entry
	err := fmt.Errorf("check %q: %w", check, ErrNotFound)
	s.newest(s.checkDir(chain, check), func(string) bool { return false }, func(e Entry, bad error) bool {
		if bad == nil && e.Check == check {
			found, err = e, nil
		}
		return err != nil
	})
	return found, err
}

// List gives up to limit runs of a chain, the newest position first; limit 0 means all. Runs that cannot be read are left
// out, which Audit names.
func (s *Store) List(chain string, limit int) ([]Entry, error) {
	var list []Entry
	for e, err := range s.walk(chain) {
		if err != nil && e.ID == "" {
			return list, err
		}
		if err != nil {
			continue
		}
		if list = append(list, e); len(list) == limit {
			break
		}
	}
	return list, nil
}

// walk gives the entries of a chain, the newest position first.
func (s *Store) walk(chain string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if !word(chain) {
			return
		}
		folders, err := names(s.path("index", "chain", chain))
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for i := len(folders) - 1; i >= 0; i-- {
			files, _ := names(s.path("index", "chain", chain, folders[i]))
			for j := len(files) - 1; j >= 0; j-- {
				_, id, ok := placed(files[j])
				if !ok {
					continue
				}
				e, err := s.entry(s.path("index", "chain", chain, folders[i], files[j]), id)
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

// Chains lists the chains of the store by name.
func (s *Store) Chains() ([]string, error) { return names(s.path("chains")) }
