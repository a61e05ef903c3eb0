package facts

import (
	"encoding/json"
	"testing"
)

// The zero value of every word is the doubtful one, and words survive JSON.
func TestWords(t *testing.T) {
	var m Meaning
	var s Status
	var w Weight
	var k OutsideKind
	if m != Unknown || s != StatusUnknown || !w.Blocking() || k != OutsideTests {
		t.Fatalf("zero values: %v %v %v %v", m, s, w, k)
	}
	for i, word := range Meanings() {
		var back Meaning
		data, err := json.Marshal(Meaning(i))
		if err != nil || json.Unmarshal(data, &back) != nil || int(back) != i || Meaning(i).String() != word {
			t.Errorf("meaning %d: %s, %v", i, data, err)
		}
	}
	for i := Malformed; i <= Note; i++ {
		var back Weight
		data, err := json.Marshal(i)
		if err != nil || json.Unmarshal(data, &back) != nil || back != i {
			t.Errorf("weight %d: %s, %v", i, data, err)
		}
		if i.Blocking() != (i != Note) {
			t.Errorf("weight %v blocks: %v", i, i.Blocking())
		}
	}
	if json.Unmarshal([]byte(`"fine"`), &m) == nil || json.Unmarshal([]byte(`"green"`), &s) == nil {
		t.Error("a word that is not in the list is taken")
	}
	if Meaning(200).String() != "unknown" || Status(200).String() != "unknown" {
		t.Error("a value beyond the list is not unknown")
	}
}

func TestCount(t *testing.T) {
	n := Count([]Case{
		{Status: Passed}, {Status: Passed, Flaky: true}, {Status: Passed, Cached: true}, {Status: Failed}, {Status: Errored},
		{Status: Skipped}, {Status: Skipped, Cached: true}, {Status: StatusUnknown},
	})
	want := Counts{Cases: 8, Executed: 5, Passed: 3, Failed: 1, Errored: 1, Skipped: 2, Unknown: 1, Flaky: 1, Cached: 1}
	if n != want {
		t.Errorf("got %+v\nwant %+v", n, want)
	}
}

// Merging adds counts and claims, keeps the cases' files apart, and one incomplete part makes the whole incomplete.
func TestMerge(t *testing.T) {
	one, two := 1, 2
	part := func(complete bool, name string, tests *int) Results {
		cases := []Case{{ID: name, Status: Passed}}
		return Results{Files: []File{{Path: name}}, Cases: cases, Counts: Count(cases), Complete: complete, Claims: Claims{Tests: tests}}
	}
	for _, c := range []struct{ a, b, want bool }{{true, true, true}, {true, false, false}, {false, true, false}, {false, false, false}} {
		var all Results
		all.Merge(part(c.a, "a", &one))
		all.Merge(part(c.b, "b", &two))
		if all.Complete != c.want {
			t.Errorf("complete %v and %v is %v", c.a, c.b, all.Complete)
		}
		if all.Counts.Passed != 2 || *all.Claims.Tests != 3 || all.Cases[1].Source != 1 || all.Files[1].Path != "b" {
			t.Errorf("merged: %+v", all)
		}
	}
	var all Results
	all.Merge(part(true, "a", nil))
	all.Merge(part(true, "b", &two))
	if *all.Claims.Tests != 2 {
		t.Errorf("a claim beside none: %d", *all.Claims.Tests)
	}
}
