package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCollect(t *testing.T) {
	s := newStore(t)
	now := start.Add(time.Hour)
	var kept []Record
	for i := range 6 { // four keys of api; the failure of k1 stays
		changes := []func(*Record){key([]string{"k1", "k1", "k2", "k2", "k3", "k4"}[i])}
		if i == 0 {
			changes = append(changes, red)
		}
		r := appendTo(t, s, sample(i, changes...))
		log, err := s.LogPath(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(log, bytes.Repeat([]byte("x"), 10000), 0o600); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, r)
	}
	kept = append(kept, appendTo(t, s, sample(6, check("web"), key("w"))))
	states := func() string {
		var b strings.Builder
		for _, k := range []string{"k1", "k2", "k3", "k4", "w"} {
			p := s.Proof(k, today)
			b.WriteString(p.Entry.ID + p.Verdict.Outcome.String() + " ")
		}
		return b.String()
	}
	before := states()

	swept, err := s.Collect("repo", Limits{Runs: 4}, now, dead)
	if err != nil || swept.Records != 2 || swept.Bytes < 20000 {
		t.Fatalf("%+v, %v", swept, err)
	}
	for i, r := range kept { // the red one and the older of k2 go before any newest proof
		got, err := s.Get(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if gone := i == 0 || i == 2; gone != (got.Collected != nil) {
			t.Errorf("run %d: collected %v", i, got.Collected)
		}
	}
	if _, err := os.Stat(s.logPath(kept[0].ID)); err == nil {
		t.Error("the log of a collected run is there")
	}
	if got := states(); got != before {
		t.Errorf("the answers were %s\nand are %s", before, got)
	}
	sound(t, s)

	if swept, err = s.Collect("repo", Limits{Runs: 4}, now, dead); err != nil || swept.Records != 0 {
		t.Errorf("again: %+v, %v", swept, err)
	}
	swept, err = s.Collect("repo", Limits{Age: time.Minute, Bytes: 1}, now, dead)
	if err != nil || swept.Records != 3 {
		t.Errorf("all that may go: %+v, %v", swept, err)
	}
	for _, i := range []int{5, 6} {
		if got, err := s.Get(kept[i].ID); err != nil || got.Collected != nil {
			t.Errorf("the newest of its check: %v, %v", got.Collected, err)
		}
	}
	if got := states(); got != before {
		t.Errorf("the answers were %s\nand are %s", before, got)
	}
	appendTo(t, s, sample(7))
	sound(t, s)
	if list, err := s.List("repo", 0); err != nil || len(list) != 8 {
		t.Errorf("%d runs, %v", len(list), err)
	}
}

// TestCollectKeepsThePass: the newest pass of a check stays whole behind newer failures.
func TestCollectKeepsThePass(t *testing.T) {
	s := newStore(t)
	pass := appendTo(t, s, sample(1))
	older := appendTo(t, s, sample(2, red, key("k2")))
	appendTo(t, s, sample(3, red, key("k3")))
	if swept, err := s.Collect("repo", Limits{Runs: 1}, start, dead); err != nil || swept.Records != 1 {
		t.Errorf("%+v, %v", swept, err)
	}
	if r, err := s.Get(pass.ID); err != nil || r.Collected != nil {
		t.Errorf("the pass: %v, %v", r.Collected, err)
	}
	if r, err := s.Get(older.ID); err != nil || r.Collected == nil {
		t.Errorf("the older failure is whole, %v", err)
	}
}

// TestCollectCutShort: a collection that ended between its two steps is sound, and is taken up again.
func TestCollectCutShort(t *testing.T) {
	s := newStore(t)
	old := appendTo(t, s, sample(1))
	appendTo(t, s, sample(2))
	whole, err := os.ReadFile(s.recordPath(old.ID))
	if err != nil {
		t.Fatal(err)
	}
	if swept, err := s.Collect("repo", Limits{Runs: 1}, start, dead); err != nil || swept.Records != 1 {
		t.Fatalf("%+v, %v", swept, err)
	}
	if err := os.WriteFile(s.recordPath(old.ID), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	sound(t, s)
	if swept, err := s.Collect("repo", Limits{Runs: 1}, start, dead); err != nil || swept.Records != 1 {
		t.Fatalf("%+v, %v", swept, err)
	}
	sound(t, s)
}

func TestLitter(t *testing.T) {
	s := newStore(t)
	now := time.Now()
	file := func(parts ...string) string {
		path := s.path(parts...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	age := func(path string, d time.Duration) {
		if err := os.Chtimes(path, now.Add(-d), now.Add(-d)); err != nil {
			t.Fatal(err)
		}
	}
	oldTemp, newTemp := file("tmp", "old"), file("tmp", "new")
	age(oldTemp, 2*time.Hour)
	var dirs []string
	for n := range 2 {
		d, err := s.RunDir(id(n))
		if err != nil {
			t.Fatal(err)
		}
		age(d, 2*time.Hour)
		dirs = append(dirs, d)
	}
	if err := s.Begin(Mark{ID: id(1), PID: 1, Time: now}); err != nil {
		t.Fatal(err)
	}
	freeLock, heldLock := file("locks", "free"), file("locks", "held")
	release, held, err := s.Claim("held")
	if err != nil || !held {
		t.Fatal(held, err)
	}
	defer release()
	age(freeLock, 48*time.Hour)
	age(heldLock, 48*time.Hour)

	swept, err := s.Collect("repo", Limits{}, now, alive)
	if err != nil || swept.Litter != 3 {
		t.Errorf("%+v, %v", swept, err)
	}
	for path, want := range map[string]bool{oldTemp: false, newTemp: true, dirs[0]: false, dirs[1]: true, freeLock: false, heldLock: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v", path, err == nil)
		}
	}
}
