package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Answers remember what git said of a repository, for as long as the bytes that it said it from are the same: a tree that
// is identified again needs no process then. One belongs to one root.
type Answers struct {
	path string // of the file between two runs of factgate; "" for none

	mu     sync.Mutex
	loaded bool
	said   map[string]answer
	learnt bool // something that is not in the file
}

type answer struct {
	from [sha256.Size]byte
	out  []byte
	used bool // since the file was read
}

// NewAnswers are those that the file at path keeps, "" for none. It is read when the first question is asked.
func NewAnswers(path string) *Answers { return &Answers{path: path} }

// The file is answersMagic, then for each answer the question (string), what it was said from (32 bytes) and the answer
// (string), and the SHA-256 of all before. Strings are uvarint length and bytes. One that is damaged holds nothing.
const answersMagic = "factgate git answers 1\n"

// get returns what was said to a question from the same bytes.
func (a *Answers) get(question string, from [sha256.Size]byte) ([]byte, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.load()
	kept, ok := a.said[question]
	if !ok || kept.from != from {
		return nil, false
	}
	kept.used = true
	a.said[question] = kept
	return kept.out, true
}

func (a *Answers) put(question string, from [sha256.Size]byte, out []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.load()
	a.said[question] = answer{from, out, true}
	a.learnt = true
}

// load reads the file, once. mu is held.
func (a *Answers) load() {
	if a.loaded {
		return
	}
	a.loaded, a.said = true, map[string]answer{}
	body, ok := readSummed(a.path, answersMagic)
	for d := (decoder{rest: body}); ok && len(d.rest) > 0; {
		question := string(d.string())
		var said answer
		copy(said.from[:], d.take(sha256.Size))
		said.out = d.string()
		if d.bad {
			return
		}
		a.said[question] = said
	}
}

// Save keeps what was asked since the last time for the next run of factgate. A file that cannot be written costs time,
// nothing else.
func (a *Answers) Save() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.path == "" || !a.learnt {
		return
	}
	a.learnt = false
	out := []byte(answersMagic)
	for question, said := range a.said {
		if said.used {
			out = append(appendString(out, question), said.from[:]...)
			out = appendString(out, string(said.out))
		}
	}
	_ = writeSummed(a.path, out)
}

// recall asks git about the repository whose data lie in dirs, or remembers what it said. An answer that good refuses is
// given, and not remembered.
func (a asker) recall(ctx context.Context, dirs gitDirs, dir string, good func([]byte) bool, args ...string) ([]byte, error) {
	before, known := [sha256.Size]byte{}, false
	if a.answers != nil {
		before, known = a.states.of(dirs)
	}
	if !known {
		return a.ask(ctx, dir, args...)
	}
	question := dir + "\x00" + strings.Join(args, "\x00")
	if out, ok := a.answers.get(question, before); ok {
		return out, nil
	}
	out, err := a.ask(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	if after, _ := dirs.state(); after == before && good(out) { // else it may have been said from either
		a.answers.put(question, before, out)
	}
	return out, nil
}

// listed reports whether a list of git's, each entry with a NUL behind it, is whole.
func listed(out []byte) bool { return len(out) == 0 || out[len(out)-1] == 0 }

// content asks git for a list that a name of an object alone decides, or remembers it.
func (a asker) content(ctx context.Context, dir string, args ...string) ([]byte, error) {
	if a.answers == nil {
		return a.ask(ctx, dir, args...)
	}
	question := dir + "\x00" + strings.Join(args, "\x00")
	if out, ok := a.answers.get(question, [sha256.Size]byte{}); ok {
		return out, nil
	}
	out, err := a.ask(ctx, dir, args...)
	if err == nil && listed(out) {
		a.answers.put(question, [sha256.Size]byte{}, out)
	}
	return out, err
}

// states holds what git answers from as it was at the first question of an Identify: an index can be large.
type states struct {
	mu    sync.Mutex
	first map[gitDirs]func() ([sha256.Size]byte, bool)
}

func (s *states) of(dirs gitDirs) ([sha256.Size]byte, bool) {
	s.mu.Lock()
	if s.first == nil {
		s.first = map[gitDirs]func() ([sha256.Size]byte, bool){}
	}
	look := s.first[dirs]
	if look == nil {
		look = sync.OnceValues(dirs.state)
		s.first[dirs] = look
	}
	s.mu.Unlock()
	return look()
}

// state is a digest of what git answers from when it is asked for HEAD and for the tracked paths: the index, the
// configuration of the repository, HEAD and the branch that it names. known is false where that is not all: an index in
// parts, refs in tables, a branch that is another name for one.
func (d gitDirs) state() (sum [sha256.Size]byte, known bool) {
	if parts, err := filepath.Glob(filepath.Join(d.own, "sharedindex.*")); err != nil || len(parts) > 0 {
		return sum, false
	}
	if _, err := os.Lstat(filepath.Join(d.common, "reftable")); err == nil {
		return sum, false
	}
	head, err := os.ReadFile(filepath.Join(d.own, "HEAD"))
	if err != nil {
		return sum, false
	}
	files := []string{filepath.Join(d.own, "index"), filepath.Join(d.own, "config.worktree"), filepath.Join(d.common, "config"), filepath.Join(d.common, "packed-refs")}
	ref, symbolic := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	if symbolic {
		if !filepath.IsLocal(filepath.FromSlash(ref)) {
			return sum, false
		}
		files = append(files, filepath.Join(d.common, filepath.FromSlash(ref)), filepath.Join(d.own, filepath.FromSlash(ref)))
	}
	h := sha256.New()
	h.Write(head)
	for i, path := range files {
		text, err := os.ReadFile(path)
		switch {
		case err == nil && i >= 4 && !isObjectName(strings.TrimSpace(string(text))):
			return sum, false
		case err == nil:
			h.Write(binary.AppendUvarint([]byte{1}, uint64(len(text))))
			h.Write(text)
		case os.IsNotExist(err):
			h.Write([]byte{0})
		default:
			if _, ok := err.(*fs.PathError); !ok || i < 4 { // a folder where a branch could be: feature and feature/a
				return sum, false
			}
			h.Write([]byte{0})
		}
	}
	h.Sum(sum[:0])
	return sum, true
}
