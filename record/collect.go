package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"factgate/verdict"
)

// Limits say how much of a chain is kept whole. Zero means no limit.
type Limits struct {
	Runs  int           // of one check
	Age   time.Duration // since the end
	Bytes int64         // records and logs of the chain together
}

// Swept is what a collection did.
type Swept struct {
	Records int   // that became tombstones
	Bytes   int64 // that they and the litter took
	Litter  int   // left-over temporary files, folders and locks that were removed
}

const (
	litterAge = time.Hour
	lockAge   = 24 * time.Hour
)

// Collect replaces the oldest records of a chain that are beyond the limits by signed tombstones, and removes their logs.
// A tombstone keeps the facts that decide, so no key loses its proof and no failure that stays is forgotten; what it
// loses is the cases and the output. Whole stay in any case, for each check, the newest run and the newest one that passed,
// and the newest proof of each key as long as the limits are met without it. Left-overs of ended processes go
// after an hour.
func (s *Store) Collect(chain string, l Limits, now time.Time, alive Alive) (Swept, error) {
	swept := s.litter(now, alive)
	type kept struct {
		Entry
		size int64
	}
	var rest []kept // not the newest of anything, newest first
	var proofs []kept
	runs := map[string]int{}
	var bytes int64
	newest, passed, proven := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for e, err := range s.walk(chain) {
		if err != nil {
			continue // an audit names it; what cannot be read is not thrown away
		}
		size := s.size(e)
		if size == 0 {
			continue // a tombstone already
		}
		runs[e.Check]++
		bytes += size
		pass := e.Verdict.Outcome == verdict.Passed
		switch {
		case !newest[e.Check] || pass && !passed[e.Check]: // stays whole
		case pass && !proven[e.Key]:
			proofs = append(proofs, kept{e, size})
		default:
			rest = append(rest, kept{e, size})
		}
		newest[e.Check] = true
		passed[e.Check] = passed[e.Check] || pass
		proven[e.Key] = proven[e.Key] || pass
	}
	var candidates []kept // the oldest of the least needed first
	for _, list := range [][]kept{rest, proofs} {
		for i := len(list) - 1; i >= 0; i-- {
			candidates = append(candidates, list[i])
		}
	}
	for _, c := range candidates {
		old := l.Age > 0 && now.Sub(c.Ended) > l.Age
		if !old && (l.Runs == 0 || runs[c.Check] <= l.Runs) && (l.Bytes == 0 || bytes <= l.Bytes) {
			continue
		}
		buried, err := s.bury(c.Entry, now)
		if err != nil {
			return swept, err
		}
		if !buried {
			continue
		}
		runs[c.Check]--
		bytes -= c.size
		swept.Records, swept.Bytes = swept.Records+1, swept.Bytes+c.size
	}
	return swept, nil
}

// size is what a whole record and its log take; 0 for a tombstone or a record that is not there.
func (s *Store) size(e Entry) int64 {
	info, err := os.Lstat(s.recordPath(e.ID))
	if err != nil || info.Size() != e.Size {
		return 0
	}
	total := info.Size()
	if log, err := os.Lstat(s.logPath(e.ID)); err == nil {
		total += log.Size()
	}
	return total
}

// bury writes the tombstone over the record: at its position first and under its id last, so that a collection that was
// cut short is taken up again.
func (s *Store) bury(e Entry, now time.Time) (bool, error) {
	r, data, err := s.open(s.recordPath(e.ID))
	if err != nil || r.Collected != nil || hash(data) != e.Digest {
		return false, nil // buried already, or damaged: then it is a matter for the audit
	}
	signer, err := s.signer()
	if err != nil {
		return false, err
	}
	c := entryOf(r, data).Record
	c.Collected = &Collected{Digest: e.Digest, At: wall(now)}
	stone, _, err := Sign(c, signer)
	if err != nil {
		return false, err
	}
	if err := os.Remove(s.logPath(e.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, &WriteError{s.logPath(e.ID), err}
	}
	if err := s.replace(s.chainPath(r.Chain.Name, r.Chain.Position), stone); err != nil {
		return false, err
	}
	return true, s.replace(s.recordPath(e.ID), stone)
}

// litter removes what ended processes left behind.
func (s *Store) litter(now time.Time, alive Alive) Swept {
	var swept Swept
	old := func(path string, age time.Duration) (fs.FileInfo, bool) {
		info, err := os.Lstat(path)
		return info, err == nil && now.Sub(info.ModTime()) > age
	}
	for _, n := range must(names(s.path("tmp"))) {
		if info, ok := old(s.path("tmp", n), litterAge); ok && os.Remove(s.path("tmp", n)) == nil {
			swept.Litter, swept.Bytes = swept.Litter+1, swept.Bytes+info.Size()
		}
	}
	for _, id := range must(names(s.path("runs"))) {
		if _, ok := old(s.path("runs", id), litterAge); ok && !s.running(id, alive) && !s.aside(id) && os.RemoveAll(s.path("runs", id)) == nil {
			swept.Litter++
		}
	}
	for _, key := range must(names(s.path("locks"))) {
		if _, ok := old(s.path("locks", key), lockAge); ok && s.unlock(key) {
			swept.Litter++
		}
	}
	return swept
}

// must: a folder that cannot be listed has nothing in it for us.
func must(list []string, _ error) []string { return list }

func (s *Store) running(id string, alive Alive) bool {
	if !validID(id) {
		return false
	}
	m, ok := s.mark(id)
	return ok && alive(m.PID, m.Start, m.Boot)
}

// unlock removes a lock file that nobody holds. One who opened it just before works alone, and no worse.
func (s *Store) unlock(key string) bool {
	release, held, err := s.Claim(filepath.Base(key))
	if err != nil || !held || strings.HasPrefix(key, ".") {
		return false
	}
	defer release()
	return os.Remove(s.path("locks", key)) == nil
}
