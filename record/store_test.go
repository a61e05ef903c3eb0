package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"factgate/verdict"
)

var today = Policy{Rules: verdict.Rules{MinTests: 1}, Timeout: 5 * time.Minute}

func TestKeepAndFind(t *testing.T) {
	s := newStore(t)
	first := appendTo(t, s, sample(1))
	second := appendTo(t, s, sample(2, red, key("k2")))
	third := appendTo(t, s, sample(3, check("web"), chain("other")))
	if first.Chain.Position != 1 || second.Chain.Position != 2 || second.Chain.Previous == "" || third.Chain.Position != 1 {
		t.Errorf("positions %+v %+v %+v", first.Chain, second.Chain, third.Chain)
	}

	got, err := s.Get(first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, got); diff != "" {
		t.Error(diff)
	}
	if got, err := s.Get(strings.ToLower(second.ID[:14])); err != nil || got.ID != second.ID {
		t.Errorf("by a beginning: %s, %v", got.ID, err)
	}
	var ambiguous *AmbiguousError
	if _, err := s.Get(first.ID[:3]); !errors.As(err, &ambiguous) {
		t.Errorf("by a beginning of all: %v", err)
	}
	for _, p := range []string{"", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "nothing", "../keys/secret"} {
		if _, err := s.Get(p); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", p, err)
		}
	}

	if e, err := s.Latest("repo", "api"); err != nil || e.ID != second.ID || e.Verdict.Outcome != verdict.Failed {
		t.Errorf("latest: %s, %v", e.ID, err)
	}
	if _, err := s.Latest("repo", "web"); !errors.Is(err, ErrNotFound) {
		t.Errorf("latest of another chain: %v", err)
	}
	list, err := s.List("repo", 0)
	if err != nil || len(list) != 2 || list[0].ID != second.ID || list[1].ID != first.ID {
		t.Errorf("list: %v, %v", list, err)
	}
	if list, _ := s.List("repo", 1); len(list) != 1 {
		t.Errorf("limited list: %d", len(list))
	}
	if p := s.Proof("k1", today); p.State != ProofProven || p.Entry.ID != third.ID {
		t.Errorf("proof over the whole store: %+v", p)
	}
	if p := s.Proof("k2", today); p.State != ProofStays {
		t.Errorf("the failure: %+v", p)
	}
	sound(t, s)
}

// TestOwnKey: the key is made once, is private, and another process that opens the store believes its records.
func TestOwnKey(t *testing.T) {
	s := newStore(t)
	r := appendTo(t, s, sample(1))
	again, err := OpenStore(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Get(r.ID); err != nil {
		t.Error(err)
	}
	if a, b := s.EnvDigest("A", "secret"), again.EnvDigest("A", "secret"); a != b || strings.Contains(a, "secret") {
		t.Errorf("digests %s and %s", a, b)
	}
	if s.EnvDigest("A", "BC") == s.EnvDigest("AB", "C") || newStore(t).EnvDigest("A", "x") == s.EnvDigest("A", "x") {
		t.Error("digests that must differ are equal")
	}
	if runtime.GOOS == "windows" {
		return
	}
	err = filepath.WalkDir(s.Dir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %04o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := os.Chmod(filepath.Join(s.Dir(), "keys", "signing.pem"), 0o644); err != nil {
		t.Fatal(err)
	}
	again, _ = OpenStore(s.Dir())
	if _, err := again.Append(sample(2)); !errors.As(err, new(*WriteError)) {
		t.Errorf("signing with a key that others can read: %v", err)
	}
}

func TestRefusedDirs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and owners are not read on Windows")
	}
	base := t.TempDir()
	at := func(n string) string { return filepath.Join(base, n) }
	os.Mkdir(at("real"), 0o700)
	os.Symlink(at("real"), at("link"))
	os.WriteFile(at("file"), nil, 0o600)
	for n, mode := range map[string]fs.FileMode{"group": 0o770, "world": 0o702} {
		os.Mkdir(at(n), 0o700)
		os.Chmod(at(n), mode)
	}
	for _, n := range []string{"link", "link/", "file", "group", "world"} {
		_, err := OpenStore(at(n))
		var dir *DirError
		if !errors.As(err, &dir) || dir.Why == "" || dir.Hint == "" {
			t.Errorf("%s: %v", n, err)
		}
	}
	if _, err := OpenStore(at("file/below")); !errors.As(err, new(*WriteError)) {
		t.Errorf("below a file: %v", err)
	}
	if _, err := OpenStore(at("a/b/c")); err != nil {
		t.Errorf("a missing one: %v", err)
	}
	if os.Geteuid() == 0 {
		os.Mkdir(at("foreign"), 0o700)
		os.Chown(at("foreign"), 1234, 1234)
		if _, err := OpenStore(at("foreign")); !errors.As(err, new(*DirError)) {
			t.Errorf("another user's: %v", err)
		}
	}
}

// TestCannotWrite: a store that cannot be written says so with a WriteError and still answers.
func TestCannotWrite(t *testing.T) {
	s := newStore(t)
	r := appendTo(t, s, sample(1))
	if err := os.RemoveAll(s.path("tmp")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path("tmp"), nil, 0o600); err != nil { // a file in its place, which stops root too
		t.Fatal(err)
	}
	if _, err := s.Append(sample(2)); !errors.As(err, new(*WriteError)) {
		t.Errorf("append: %v", err)
	}
	if err := s.Begin(Mark{ID: id(3)}); !errors.As(err, new(*WriteError)) {
		t.Errorf("begin: %v", err)
	}
	if p := s.Proof("k1", today); p.State != ProofProven || p.Entry.ID != r.ID {
		t.Errorf("proof: %+v", p)
	}
}

func TestSameRunTwice(t *testing.T) {
	s := newStore(t)
	r := appendTo(t, s, sample(1))
	if _, err := s.Append(r); !errors.As(err, new(*WriteError)) {
		t.Errorf("recorded twice: %v", err)
	}
	sound(t, s)
}

// TestDamagedIndex: the index is made again from the records.
func TestDamagedIndex(t *testing.T) {
	s := newStore(t)
	r := appendTo(t, s, sample(1, red))
	for _, path := range s.entryPaths(r) {
		if err := os.WriteFile(path, []byte("cut o"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if p := s.Proof("k1", today); p.State != ProofStays || p.Entry.ID != r.ID {
		t.Errorf("proof: %+v", p)
	}
	if _, err := s.List("repo", 0); err != nil {
		t.Error(err)
	}
	if _, err := s.Latest("repo", "api"); err != nil {
		t.Error(err)
	}
	sound(t, s)
}

// TestLostIndex: where the index is gone, opening the store makes it again: a failure that stays is not forgotten.
func TestLostIndex(t *testing.T) {
	s := newStore(t)
	r := appendTo(t, s, sample(1, red))
	appendTo(t, s, sample(2))
	if err := os.RemoveAll(s.path("index")); err != nil {
		t.Fatal(err)
	}
	again, err := OpenStore(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	list, err := again.List("repo", 0)
	if err != nil || len(list) != 2 || list[1].ID != r.ID {
		t.Errorf("list: %v %v", list, err)
	}
	sound(t, again)
}

// TestForgedIndex: an entry that this store did not write is not believed.
func TestForgedIndex(t *testing.T) {
	s := newStore(t)
	r := appendTo(t, s, sample(1, red))
	_, pass, err := Sign(sample(1), testKey())
	if err != nil {
		t.Fatal(err)
	}
	line, err := entryOf(pass, nil).seal([]byte("another secret"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.keyPath(r), line, 0o600); err != nil {
		t.Fatal(err)
	}
	if p := s.Proof("k1", today); p.State != ProofStays {
		t.Errorf("proof: %+v", p)
	}
}

// TestMisplacedIndex: an entry that was copied to where another run or another key is looked for says nothing there.
func TestMisplacedIndex(t *testing.T) {
	s := newStore(t)
	pass := appendTo(t, s, sample(1))
	fail := appendTo(t, s, sample(2, red))
	copyTo := func(dir, id string) {
		t.Helper()
		line, err := os.ReadFile(s.keyPath(pass))
		if err == nil {
			err = os.MkdirAll(s.path(dir), 0o700)
		}
		if err == nil {
			err = os.WriteFile(s.path(dir, id), line, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	copyTo(s.keyDir(fail.Key), fail.ID)
	if p := s.Proof(fail.Key, today); p.State != ProofStays || p.Entry.ID != fail.ID {
		t.Errorf("another run's entry: %+v", p)
	}
	copyTo(s.keyDir("k9"), pass.ID)
	if p := s.Proof("k9", today); p.State != ProofOpen || len(p.Lost) != 1 {
		t.Errorf("another key's entry: %+v", p)
	}
}

// TestLostRecord: an entry whose record is gone proves nothing.
func TestLostRecord(t *testing.T) {
	s := newStore(t)
	appendTo(t, s, sample(1))
	r := appendTo(t, s, sample(2))
	if err := os.Remove(s.recordPath(r.ID)); err != nil {
		t.Fatal(err)
	}
	if p := s.Proof("k1", today); p.State != ProofOpen || !slices.Equal(p.Lost, []string{r.ID}) {
		t.Errorf("proof: %+v", p)
	}
}

// TestHalfAppended: what a writer that was ended left undone, the next one does.
func TestHalfAppended(t *testing.T) {
	s := newStore(t)
	r := appendTo(t, s, sample(1, red))
	for _, path := range append(s.entryPaths(r), s.recordPath(r.ID)) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(t, s, sample(2, key("k2")))
	if p := s.Proof("k1", today); p.State != ProofStays || p.Entry.ID != r.ID {
		t.Errorf("proof: %+v", p)
	}
	sound(t, s)
}

// TestQuick: looking up the proofs of 200 checks among many runs, and listing 1,000, is a matter of milliseconds.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a store")
	}
	const runs = 2000
	s := newStore(t)
	fill(t, s, runs)
	begin := time.Now()
	for i := range 200 {
		if p := s.Proof(fmt.Sprintf("key%d", runs-1-i), today); p.State != ProofProven {
			t.Fatalf("%d: %+v", i, p)
		}
	}
	proofs := time.Since(begin)
	begin = time.Now()
	if list, err := s.List("repo", 1000); err != nil || len(list) != 1000 {
		t.Fatalf("%d, %v", len(list), err)
	}
	listing := time.Since(begin)
	begin = time.Now()
	if _, err := s.Latest("repo", "check 7"); err != nil {
		t.Fatal(err)
	}
	latest := time.Since(begin)
	begin = time.Now()
	appendTo(t, s, sample(20000))
	appending := time.Since(begin)
	t.Logf("200 proofs %s, 1,000 listed %s, latest %s, append %s", proofs, listing, latest, appending)
	// Generous: the race detector and a busy machine slow everything down.
	if proofs > time.Second || listing > time.Second || latest > time.Second {
		t.Errorf("too slow: 200 proofs %s, 1,000 listed %s, latest %s", proofs, listing, latest)
	}
}

// fill writes runs as Append would, without waiting for the disk each time.
func fill(t *testing.T, s *Store, n int) {
	t.Helper()
	signer, err := s.signer()
	if err != nil {
		t.Fatal(err)
	}
	previous := ""
	for i := range n {
		r := sample(i, key(fmt.Sprintf("key%d", i)), check(fmt.Sprintf("check %d", i%200)))
		r.Chain.Position, r.Chain.Previous = int64(i+1), previous
		data, kept, err := Sign(r, signer)
		if err != nil {
			t.Fatal(err)
		}
		previous = hash(data)
		name, err := s.temp(data, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range []string{s.chainPath("repo", r.Chain.Position), s.recordPath(r.ID)} {
			if err := link(name, to, false); err != nil {
				t.Fatal(err)
			}
		}
		os.Remove(name)
		if err := s.index(entryOf(kept, data)); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkProof(b *testing.B) {
	s, err := OpenStore(filepath.Join(b.TempDir(), "state"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Append(sample(1)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if p := s.Proof("k1", today); p.State != ProofProven {
			b.Fatal(p)
		}
	}
}
