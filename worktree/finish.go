package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"strings"
)

// finish reads what the cache does not know and makes the tree of what was found.
func (w *walker) finish(ctx context.Context, h head, o Options) (*Tree, error) {
	entries := w.collect()
	if err := w.readAll(ctx, entries); err != nil {
		return nil, err
	}
	slices.Sort(w.left)
	t := &Tree{
		Head: h.commit, Dirty: w.top != "", Left: w.left, Entries: entries,
		root: w.path, top: w.top, asker: w.asker, dirs: w.dirs, above: w.above, headTree: h.tree,
		memo: map[string]*selection{}, sums: map[string]string{}, masks: map[string][]bool{},
	}
	for _, r := range w.repos {
		markTracked(entries, r.tracked)
		t.Anomalies = append(t.Anomalies, boundMarks(r.marks)...)
	}
	kept := 0
	for i := range entries {
		if entries[i].keep {
			kept++
		}
		if _, name := split(entries[i].Path); name == ignoreFile && entries[i].Type == File {
			t.ignores = append(t.ignores, int32(i))
		}
	}
	t.ID = identityOf(w.above, entries)
	if hits := int(w.hits.Load()); o.Cache != "" && trustStat && (hits != w.cache.files || hits != kept) {
		// A cache that cannot be written costs time, nothing else.
		_ = writeCache(o.Cache, entries)
	}
	return t, nil
}

// markTracked marks the entries that are in the list; both are in byte order.
func markTracked(entries []Entry, tracked []string) {
	i := 0
	for _, path := range tracked {
		for i < len(entries) && entries[i].Path < path {
			i++
		}
		if i < len(entries) && entries[i].Path == path {
			entries[i].Tracked = true
		}
	}
}

// identityOf is the identity that the package comment specifies. The rules above the root come first.
func identityOf(above, entries []Entry) string {
	s := newSum("factgate tree 1\n")
	for i := range above {
		s.entry(&above[i])
	}
	for i := range entries {
		s.entry(&entries[i])
	}
	return s.hex()
}

// sum hashes entries, with few calls.
type sum struct {
	hash hash.Hash
	buf  []byte
}

func newSum(title string) *sum {
	return &sum{sha256.New(), append(make([]byte, 0, 64<<10), title...)}
}

func (s *sum) entry(e *Entry) {
	s.text(e.Path)
	exec := byte(0)
	if e.Exec {
		exec = 1
	}
	s.buf = append(append(s.buf, byte(e.Type), exec), e.Digest[:]...)
	s.flush(32 << 10)
}

// text writes a string so that no two sequences of strings look the same.
func (s *sum) text(v string) {
	s.buf = append(binary.AppendUvarint(s.buf, uint64(len(v))), v...)
	s.flush(32 << 10)
}

func (s *sum) flush(limit int) {
	if len(s.buf) > limit {
		s.hash.Write(s.buf)
		s.buf = s.buf[:0]
	}
}

func (s *sum) hex() string {
	s.flush(0)
	return hex.EncodeToString(s.hash.Sum(nil))
}

// folderOf is the folder of a path with a trailing slash, "" for the root.
func folderOf(path string) string {
	return path[:strings.LastIndexByte(path, '/')+1]
}
