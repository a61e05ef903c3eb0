package record

import (
	"math/rand"
	"os"
	"slices"
	"testing"
	"time"

	"factgate/facts"
	"factgate/verdict"
)

// TestPassedOver: what is passed over unread changes no answer, whatever runs came in whatever order, under whatever policy.
func TestPassedOver(t *testing.T) {
	kinds := map[string]func(*Record){
		"clean":     func(*Record) {},
		"red":       red,
		"rerun":     reason("started postgres"),
		"focused":   func(r *Record) { r.Run.Focused = true },
		"moved":     func(r *Record) { r.Run.Tree.Moved = []string{"a"} },
		"rewritten": func(r *Record) { setCases(r, facts.Case{ID: "a", Status: facts.Failed, Failures: []facts.Failure{{}}}) },
		"not clean": func(r *Record) { r.Run.Exit.Code, r.Run.Meaning = 3, facts.NotClean },
		"flaky":     func(r *Record) { setCases(r, facts.Case{ID: "a", Status: facts.Passed, Flaky: true, Attempts: 2}) },
		"none":      func(r *Record) { setCases(r) },
		"outside":   func(r *Record) { r.Run.Results.Outside = []facts.Outside{{Message: "hook"}} },
		"timed out": func(r *Record) { r.Run.Exit.TimedOut, r.Run.Exit.Sent = true, []string{"SIGTERM"} },
		"exit 0 in one": func(r *Record) {
			r.Run.Results.Processes = []facts.Process{{Runner: "pytest", Ended: true, Code: 1, Meaning: facts.TestsFailed}}
		},
	}
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	policies := []Policy{today, {Rules: verdict.Rules{MinTests: 2}, Timeout: time.Minute}, {Rules: verdict.Rules{AcceptFlaky: true, AllowNoTests: true}}}
	dice := rand.New(rand.NewSource(1))
	for round := range 60 {
		s := newStore(t)
		var said []string
		for n := range 1 + dice.Intn(7) {
			kind := names[dice.Intn(len(names))]
			if dice.Intn(2) == 0 {
				kind = "clean"
			}
			said = append(said, kind)
			appendTo(t, s, sample(n+1, kinds[kind]))
		}
		all := func(yield func(Entry) bool) {
			for e, err := range s.walk("repo") {
				if err != nil {
					t.Fatal(err)
				}
				if !yield(e) {
					return
				}
			}
		}
		for _, p := range policies {
			want, got := Prove(all, p), s.Proof("k1", p)
			if got.State != want.State || got.Entry.ID != want.Entry.ID || !got.Verdict.Equal(want.Verdict) || (got.Failure == nil) != (want.Failure == nil) {
				t.Fatalf("round %d, oldest first %q: %+v, and of all runs %+v", round, said, got, want)
			}
		}
		sound(t, s)
	}
}

// TestManyProofs: what a key's many clean runs cost is a look at their names.
func TestManyProofs(t *testing.T) {
	s := newStore(t)
	for n := range 30 {
		appendTo(t, s, sample(n+1))
	}
	read := 0
	for _, err := range s.ByKey("k1") {
		if err != nil {
			t.Fatal(err)
		}
		read++
	}
	if read != 1 {
		t.Errorf("%d of 30 runs were read", read)
	}
	// The newest one unreadable: then the one before it is.
	list, err := names(s.path(s.keyDir("k1")))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.recordPath(id(30))); err != nil || len(list) != 30 {
		t.Fatal(err, len(list))
	}
	if p := s.Proof("k1", today); p.State != ProofOpen || len(p.Lost) != 1 || p.Entry.ID != id(29) {
		t.Errorf("%+v", p)
	}
}
