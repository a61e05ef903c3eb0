package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"factgate/verdict"
)

// TestAudit: each thing that is done to a sound store is found, and named.
func TestAudit(t *testing.T) {
	write := func(t *testing.T, path string, data []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		os.Remove(path) // its links keep what they were
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		do   func(t *testing.T, s *Store, r []Record)
		what string
		at   int64
	}{
		{"a byte changed", func(t *testing.T, s *Store, r []Record) {
			data, _ := os.ReadFile(s.chainPath("repo", 2))
			data[len(data)/2] ^= 1
			write(t, s.chainPath("repo", 2), data)
		}, "cannot be believed", 2},
		{"cut off", func(t *testing.T, s *Store, r []Record) {
			data, _ := os.ReadFile(s.chainPath("repo", 2))
			write(t, s.chainPath("repo", 2), data[:100])
		}, "cannot be believed", 2},
		{"a position removed", func(t *testing.T, s *Store, r []Record) { os.Remove(s.chainPath("repo", 2)) }, "position is missing", 2},
		{"the end removed, the index forgotten", func(t *testing.T, s *Store, r []Record) {
			os.Remove(s.chainPath("repo", 3))
			os.Remove(s.recordPath(r[2].ID))
		}, "its record is gone", 3},
		{"another record in its place", func(t *testing.T, s *Store, r []Record) {
			data, _ := os.ReadFile(s.chainPath("repo", 1))
			write(t, s.chainPath("repo", 2), data)
		}, "is the record of position 1", 2},
		{"a record signed anew", func(t *testing.T, s *Store, r []Record) {
			signer, _ := s.signer()
			data, _, err := Sign(sample(2, func(n *Record) { n.ID, n.Chain = r[1].ID, r[1].Chain }), signer)
			if err != nil {
				t.Fatal(err)
			}
			write(t, s.chainPath("repo", 2), data)
		}, "does not follow", 3},
		{"the copy changed", func(t *testing.T, s *Store, r []Record) {
			write(t, s.recordPath(r[1].ID), []byte("{}\n"))
		}, "holds other bytes", 2},
		{"the copy removed", func(t *testing.T, s *Store, r []Record) { os.Remove(s.recordPath(r[1].ID)) }, "is missing", 2},
		{"the index lies", func(t *testing.T, s *Store, r []Record) {
			line, _ := entryOf(sample(2, func(n *Record) { n.ID = r[1].ID }), nil).seal(s.secret)
			write(t, s.keyPath(r[1]), line)
		}, "says something else", 2},
		{"the index is foreign", func(t *testing.T, s *Store, r []Record) {
			write(t, s.keyPath(r[1]), []byte("x\n"))
		}, "not written by this store", 2},
		{"the index lost", func(t *testing.T, s *Store, r []Record) { os.Remove(s.keyPath(r[1])) }, "cannot be found", 2},
		{"a stray file in a chain", func(t *testing.T, s *Store, r []Record) {
			write(t, s.path("chains", "repo", "000000", "notes.txt"), nil)
		}, "does not belong", 0},
		{"a stray file among the records", func(t *testing.T, s *Store, r []Record) {
			write(t, s.path("records", "01AA", "x.json"), nil)
		}, "does not belong", 0},
		{"a record in no chain", func(t *testing.T, s *Store, r []Record) {
			signer, _ := s.signer()
			data, _, err := Sign(sample(9), signer)
			if err != nil {
				t.Fatal(err)
			}
			write(t, s.recordPath(sample(9).ID), data)
		}, "in no chain", 0},
		{"a foreign key", func(t *testing.T, s *Store, r []Record) {
			data, _, err := Sign(r[1], testKey())
			if err != nil {
				t.Fatal(err)
			}
			write(t, s.chainPath("repo", 2), data)
		}, "unknown key", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			r := []Record{appendTo(t, s, sample(1)), appendTo(t, s, sample(2, red)), appendTo(t, s, sample(3))}
			sound(t, s)
			c.do(t, s, r)
			found, err := s.Audit()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if strings.Contains(f.What, c.what) && (c.at == 0 || f.Position == c.at) {
					return
				}
			}
			t.Errorf("not found: %+v", found)
		})
	}
}

func TestAuditOneChain(t *testing.T) {
	s := newStore(t)
	appendTo(t, s, sample(1))
	appendTo(t, s, sample(2, chain("other")))
	os.Remove(s.chainPath("other", 1))
	if found, err := s.Audit("repo"); err != nil || len(found) != 0 {
		t.Errorf("the sound one: %v, %v", found, err)
	}
	if found, err := s.Audit("other"); err != nil || len(found) == 0 {
		t.Errorf("the other one: %v, %v", found, err)
	}
}

func TestMarks(t *testing.T) {
	s := newStore(t)
	for n := range 3 {
		m := Mark{ID: id(n), PID: 100 + n, Start: "7", Boot: "b", Chain: "repo", Key: "k1", Check: "api", Argv: []string{"pytest"}, Time: start}
		if err := s.Begin(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(s.markPath(id(3)), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	done := appendTo(t, s, sample(2)) // recorded, and ended before it could remove its mark
	only := func(pid int) Alive {     // and it takes a mark that says nothing for a living process
		return func(p int, start, boot string) bool { return p == pid && start == "7" && boot == "b" || p == 0 }
	}
	marks, err := s.Marks(only(100))
	if err != nil || len(marks) != 3 {
		t.Fatalf("%+v, %v", marks, err)
	}
	if marks[0].Interrupted || !marks[1].Interrupted || !marks[2].Interrupted || marks[0].Argv[0] != "pytest" {
		t.Errorf("%+v", marks)
	}
	if _, err := os.Stat(s.markPath(done.ID)); err == nil {
		t.Error("the mark of a recorded run is left")
	}
	for range 2 {
		if err := s.End(marks[0].ID); err != nil {
			t.Error(err)
		}
	}
	if s.Begin(Mark{ID: "../x"}) == nil {
		t.Error("a mark outside the store")
	}
	if _, err := s.RunDir("../x"); err == nil {
		t.Error("a folder outside the store")
	}
}

func TestClaim(t *testing.T) {
	s := newStore(t)
	release, held, err := s.Claim("k1")
	if err != nil || !held {
		t.Fatal(held, err)
	}
	other, err := OpenStore(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if _, held, err := other.Claim("k1"); err != nil || held {
		t.Errorf("claimed twice: %v", err)
	}
	if r, held, err := other.Claim("k2"); err != nil || !held {
		t.Errorf("another key: %v", err)
	} else {
		r()
	}
	release()
	release()
	r, held, err := other.Claim("k1")
	if err != nil || !held {
		t.Errorf("after the release: %v, %v", held, err)
	}
	r()
	if _, _, err := s.Claim("../x"); err == nil {
		t.Error("a lock outside the store")
	}
}

// TestClaimHangs: a lock that never answers is given up, and let go when it comes after all.
func TestClaimHangs(t *testing.T) {
	s := newStore(t)
	s.wait = time.Millisecond
	entered, leave := make(chan *os.File, 1), make(chan struct{})
	s.flock = func(f *os.File) (bool, error) {
		entered <- f
		<-leave
		return tryLock(f)
	}
	release, held, err := s.Claim("k1")
	if err == nil || held || !strings.Contains(err.Error(), "no answer") {
		t.Fatalf("held %v, %v", held, err)
	}
	release()
	<-entered
	close(leave)
	s.flock, s.wait = tryLock, 10*time.Second
	deadline := time.Now().Add(10 * time.Second)
	for {
		r, held, err := s.Claim("k1")
		if err != nil {
			t.Fatal(err)
		}
		if held {
			r()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the late lock is never let go")
		}
	}
}

// TestRulesOfYesterday: an entry that other rules decided is made again from its record.
func TestRulesOfYesterday(t *testing.T) {
	s := newStore(t)
	r := appendTo(t, s, sample(1, red))
	stale := entryOf(r, nil)
	stale.RulesVersion, stale.Verdict = 0, verdict.Verdict{Outcome: verdict.Passed}
	line, err := stale.seal(s.secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range s.entryPaths(r) {
		if err := os.WriteFile(path, line, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.List("repo", 0)
	if err != nil || len(list) != 1 || list[0].Verdict.Outcome != verdict.Failed {
		t.Errorf("%+v, %v", list, err)
	}
}
