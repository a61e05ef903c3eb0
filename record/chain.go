package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"factgate/facts"
)

// bucket is how many positions lie in one folder, so that finding the end of a chain stays quick.
const bucket = 1000

// tries bounds how often a position may be lost to other writers.
const tries = 10000

// Append signs the record at the end of its chain and keeps it; r.Chain.Name says which. No lock is held: the record is
// written whole, a link claims its position, and whoever finds the position taken signs again at the next one. It returns
// the record as signed. A WriteError means that nothing was kept, or that it cannot be said that it was.
func (s *Store) Append(r Record) (Record, error) {
	signer, err := s.signer()
	if err != nil {
		return Record{}, err
	}
	at := s.found(r.Chain.Name)
	for range tries {
		if at == nil {
			next, err := s.next(r.Chain.Name)
			if err != nil {
				return Record{}, err
			}
			at = &next
		}
		r.Chain, at = *at, nil
		signed, data, err := s.claim(r, signer)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return Record{}, err
		}
		return signed, s.index(entryOf(signed, data))
	}
	return Record{}, &WriteError{s.path("chains", r.Chain.Name), errors.New("too many writers at once")}
}

// found is the place in a chain that Ready found, once; nil when it did not. When another writer has taken it meanwhile,
// that is seen as for any place.
func (s *Store) found(chain string) *Chain {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.ahead
	s.ahead = nil
	if at != nil && at.Name != chain {
		return nil
	}
	return at
}

// next is the place behind the last record of a chain now.
func (s *Store) next(chain string) (Chain, error) {
	at := Chain{Name: chain, Position: 1}
	if !word(chain) {
		return at, &FormatError{fmt.Sprintf("chain name %q", chain)}
	}
	last, err := s.last(chain)
	if err != nil {
		return at, asWrite(s.path("chains", chain), err)
	}
	if last > 0 {
		at.Position = last + 1
		if at.Previous, err = s.digestAt(chain, last); err != nil {
			return at, asWrite(s.chainPath(chain, last), err)
		}
	}
	return at, nil
}

// claim tries the record's place. fs.ErrExist means that another writer has it.
func (s *Store) claim(r Record, signer Signer) (Record, []byte, error) {
	data, signed, err := Sign(r, signer)
	if err != nil {
		return Record{}, nil, err
	}
	name, err := s.temp(data, true)
	if err != nil {
		return Record{}, nil, err
	}
	defer os.Remove(name)
	if _, err := os.Lstat(s.recordPath(r.ID)); err == nil {
		return Record{}, nil, &WriteError{s.recordPath(r.ID), errors.New("this run is recorded already")}
	}
	if err := link(name, s.chainPath(r.Chain.Name, r.Chain.Position), true); err != nil {
		return Record{}, nil, err
	}
	err = link(name, s.recordPath(r.ID), true)
	if errors.Is(err, fs.ErrExist) {
		err = s.sameRecord(r.ID, data) // the next writer may have put it there for us
	}
	if err != nil {
		return Record{}, nil, asWrite(s.recordPath(r.ID), err)
	}
	return signed, data, nil
}

func (s *Store) sameRecord(id string, data []byte) error {
	there, err := read(s.recordPath(id))
	if err == nil && !bytes.Equal(there, data) {
		err = errors.New("another record of this run is there")
	}
	return err
}

// digestAt is what the next record names as its previous. The index knows it; where it does not, the last writer was
// ended between two steps, and what is left to do for its record is done here.
func (s *Store) digestAt(chain string, position int64) (string, error) {
	path := s.chainPath(chain, position)
	if e, ok := s.entryAt(chain, position); ok {
		return e.Digest, nil
	}
	r, data, err := s.open(path)
	if data == nil {
		return "", err
	}
	if err != nil {
		return hash(data), nil // damaged: the chain goes on over the bytes as they are, and an audit says so
	}
	e, err := s.adopt(path, r, data)
	return e.Digest, err
}

// adopt completes a record that is in its chain only. Where that fails nothing comes behind it: only the newest record is
// ever looked at again.
func (s *Store) adopt(path string, r Record, data []byte) (Entry, error) {
	e := entryOf(r, data)
	if _, err := os.Lstat(s.recordPath(r.ID)); errors.Is(err, fs.ErrNotExist) {
		if err := link(path, s.recordPath(r.ID), true); err != nil && !errors.Is(err, fs.ErrExist) {
			return e, err
		}
	}
	return e, s.index(e)
}

// mend makes the index again when all of it is lost: without it no run is found, also none whose failure stays. Records
// that cannot be believed are left out, and an audit names them.
func (s *Store) mend() {
	if _, err := os.Lstat(s.path("index")); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	for _, chain := range must(s.Chains()) {
		for _, dir := range must(names(s.path("chains", chain))) {
			for _, name := range must(names(s.path("chains", chain, dir))) {
				path := s.path("chains", chain, dir, name)
				r, data, err := s.open(path)
				if err == nil && path == s.chainPath(chain, r.Chain.Position) && r.Chain.Name == chain {
					_, _ = s.adopt(path, r, data) // what stays away is named by an audit
				}
			}
		}
	}
}

// index puts an entry under its key, its check and its position. The three names are links to one file. The entry can be
// made again from the record, so it is not synced.
func (s *Store) index(e Entry) error {
	line, err := e.seal(s.secret)
	if err != nil {
		return err
	}
	name, err := s.temp(line, false)
	if err != nil {
		return err
	}
	defer os.Remove(name)
	for _, to := range s.entryPaths(e.Record) {
		if err := link(name, to, false); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

func (s *Store) entryPaths(r Record) []string {
	return []string{
		s.keyPath(r),
		s.path(s.checkDir(r.Chain.Name, r.Check), r.ID),
		s.path("index", "chain", r.Chain.Name, folder(r.Chain.Position), fmt.Sprintf("%09d-%s", r.Chain.Position, r.ID)),
	}
}

// keyPath marks the name of a clean run: behind a newer run it changes nothing in what the key's runs say together, and so
// need not be read.
func (s *Store) keyPath(r Record) string {
	name := r.ID
	if clean(r) {
		name += cleanMark
	}
	return s.path(s.keyDir(r.Key), name)
}

const cleanMark = "-clean"

// clean reports whether a run can under no policy be a failure that stays, nor settle one. It looks at facts only.
func clean(r Record) bool {
	run, n := r.Run, r.Run.Results.Counts
	if r.Rerun != "" || run.Focused || run.NotStarted != nil || run.Meaning != facts.Clean || run.Exit.Code != 0 || run.Exit.TimedOut {
		return false
	}
	for _, p := range run.Results.Processes {
		if !p.Nested && p.Meaning != facts.Clean {
			return false
		}
	}
	return n.Failed+n.Errored+n.Unknown == 0 && len(run.Results.Outside) == 0
}

func (s *Store) keyDir(key string) string { return "index/key/" + key[:min(2, len(key))] + "/" + key }

func (s *Store) checkDir(chain, check string) string {
	sum := sha256.Sum256([]byte(check))
	return "index/check/" + chain + "/" + hex.EncodeToString(sum[:16])
}

func (s *Store) recordPath(id string) string { return s.path("records", id[:4], id+".json") }

func (s *Store) chainPath(chain string, position int64) string {
	return s.path("chains", chain, folder(position), fmt.Sprintf("%09d.json", position))
}

func folder(position int64) string { return fmt.Sprintf("%06d", position/bucket) }

// last is the highest position of a chain; 0 when it is empty.
func (s *Store) last(chain string) (int64, error) {
	folders, err := names(s.path("chains", chain))
	if err != nil {
		return 0, err
	}
	for i := len(folders) - 1; i >= 0; i-- {
		files, err := names(s.path("chains", chain, folders[i]))
		if err != nil {
			return 0, err
		}
		for j := len(files) - 1; j >= 0; j-- {
			if p, ok := position(files[j]); ok {
				return p, nil
			}
		}
	}
	return 0, nil
}

// position reads 000000042.json.
func position(name string) (int64, bool) {
	digits, ok := strings.CutSuffix(name, ".json")
	if !ok || len(digits) < 9 {
		return 0, false
	}
	p, err := strconv.ParseInt(digits, 10, 64)
	return p, err == nil && p > 0
}
