package parsers

import (
	"strings"
	"testing"

	"factgate/facts"
)

const probeStart = `{"e":"start","v":1,"runner":"pytest","pid":7,"argv":["pytest","-q"],"dir":"/w","version":"9"}` + "\n"

func TestProbe(t *testing.T) {
	const ok, end = `{"e":"case","id":"a","name":"a","status":"passed","ms":1.5}` + "\n", `{"e":"end","status":0}` + "\n"
	for _, c := range []struct {
		name, text, code string
		weight           facts.Weight
	}{
		{"green", probeStart + ok + end, "", 0},
		{"no end", probeStart + ok, "no_end", facts.Incomplete},
		{"cut", probeStart + ok + `{"e":"end","sta`, "truncated", facts.Truncated},
		{"no start", ok + end, "no_start", facts.Malformed},
		{"two starts", probeStart + probeStart + end, "second_start", facts.Malformed},
		{"after the end", probeStart + end + ok, "event_after_end", facts.Malformed},
		{"unknown event", probeStart + `{"e":"wobble"}` + "\n" + end, "unknown_event", facts.Malformed},
		{"unknown version", strings.Replace(probeStart, `"v":1`, `"v":2`, 1) + end, "unknown_version", facts.Malformed},
		{"unknown status", probeStart + `{"e":"case","id":"a","status":"wobbly"}` + "\n" + end, "unknown_status", facts.Malformed},
		{"status of a wrong type", probeStart + `{"e":"case","id":"a","status":7}` + "\n" + end, "broken_line", facts.Malformed},
		{"no status", probeStart + `{"e":"case","id":"a"}` + "\n" + end, "unknown_status", facts.Malformed},
		{"no id", probeStart + `{"e":"case","status":"passed"}` + "\n" + end, "no_name", facts.Malformed},
		{"passed with failures", probeStart + `{"e":"case","id":"a","status":"passed","failures":[{"message":"m"}]}` + "\n" + end, "status_against_failure", facts.Contradict},
		{"twice", probeStart + ok + ok + end, "duplicate_id", facts.Note},
		{"broken", probeStart + "{nope\n" + end, "broken_line", facts.Malformed},
		{"not JSON", probeStart + "nope\n" + end, "broken_line", facts.Malformed},
		{"claims above", probeStart + ok + `{"e":"claims","tests":2}` + "\n" + end, "claims_above_counts", facts.Contradict},
		{"passed above", probeStart + ok + `{"e":"claims","passed":2}` + "\n" + end, "claims_above_counts", facts.Contradict},
		{"failures above", probeStart + ok + `{"e":"claims","tests":1,"failures":1}` + "\n" + end, "claims_above_counts", facts.Contradict},
		{"claims below", probeStart + ok + `{"e":"claims","tests":0}` + "\n" + end, "claims_below_counts", facts.Note},
		{"claims equal", probeStart + ok + `{"e":"claims","tests":1,"passed":1,"failures":0,"errors":0,"skipped":0}` + "\n" + end, "", 0},
		{"planned above", probeStart + ok + `{"e":"planned","n":9}` + "\n" + end, "planned_above_cases", facts.Contradict},
		{"planned above, and said why", probeStart + `{"e":"planned","n":9}` + "\n" + ok + `{"e":"end","status":1}` + "\n", "", 0},
		{"attachment elsewhere", probeStart + `{"e":"results","format":"junit","file":"../x.xml"}` + "\n" + end, "bad_attachment", facts.Malformed},
		{"attachment of no format", probeStart + `{"e":"results","format":"tea","file":"x"}` + "\n" + end, "bad_attachment", facts.Malformed},
		{"problem", probeStart + `{"e":"problem","code":"dry_run","detail":"d","weight":"incomplete"}` + "\n" + end, "dry_run", facts.Incomplete},
		{"problem of no weight", probeStart + `{"e":"problem","code":"x","detail":"d"}` + "\n" + end, "x", facts.Malformed},
		{"note", probeStart + `{"e":"note","text":"hello"}` + "\n" + end, "note", facts.Note},
		{"nested", `{"e":"nested"}` + "\n", "nested", facts.Note},
		{"nested behind a start", probeStart + `{"e":"nested"}` + "\n", "nested", facts.Note},
		{"end without status", probeStart + `{"e":"end"}` + "\n", "broken_line", facts.Malformed},
	} {
		s, err := Probe(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		w, found := has(s.Results, c.code)
		if c.code != "" && (!found || w != c.weight) || c.code == "" && len(s.Results.Problems) > 0 {
			t.Errorf("%s: %v", c.name, s.Results.Problems)
		}
		soft := c.code == "" || c.weight == facts.Note || c.weight == facts.Contradict
		if s.Results.Complete != soft {
			t.Errorf("%s: complete is %v: %v", c.name, s.Results.Complete, s.Results.Problems)
		}
	}
}

func TestProbeFields(t *testing.T) {
	s, err := Probe(strings.NewReader(probeStart +
		`{"e":"case","id":"t.py::a[1]","name":"a[1]","suite":"t.py","file":"t.py","line":12,"status":"failed","ms":2,"attempts":2,"failures":[{"message":"m\nn","type":"T","text":"\u001b[31mx\u001b[0m\nt.py:13: AssertionError","error":true}]}` + "\n" +
		`{"e":"case","id":"b","name":"b","status":"skipped","kind":"xfail","reason":"known","cached":true}` + "\n" +
		`{"e":"case","id":"c","name":"c","status":"passed","flaky":true,"cached":true}` + "\n" +
		`{"e":"outside","kind":"threshold","where":"cov","message":"low","file":"f","line":3}` + "\n" +
		`{"e":"results","format":"gotestjson","file":"go-1.json"}` + "\n" +
		`{"e":"packages","folders":{"m/a":"/w/a"}}` + "\n" +
		`{"e":"end","status":1,"meaning":"tests_failed"}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := s.Results
	a := r.Cases[0]
	if a.Line != 12 || a.Attempts != 2 || a.Failures[0].Message != "m" || a.Failures[0].File != "t.py" || a.Failures[0].Line != 13 || !a.Failures[0].Error || strings.Contains(a.Failures[0].Text, "\x1b") {
		t.Errorf("%+v", a)
	}
	if b := r.Cases[1]; b.Kind != "xfail" || b.Reason != "known" || b.Status != facts.Skipped {
		t.Errorf("%+v", b)
	}
	if r.Counts != (facts.Counts{Cases: 3, Executed: 1, Passed: 1, Failed: 1, Skipped: 1, Flaky: 1, Cached: 1}) {
		t.Errorf("%+v", r.Counts)
	}
	if o := r.Outside[0]; o.Kind != facts.Threshold || o.Line != 3 {
		t.Errorf("%+v", o)
	}
	if len(s.Attach) != 1 || s.Attach[0] != (Attachment{Format: "gotestjson", File: "go-1.json"}) {
		t.Errorf("%v", s.Attach)
	}
	if len(s.Folders) != 1 || s.Folders["m/a"] != "/w/a" {
		t.Errorf("%v", s.Folders)
	}
	if p := s.Process; p.Runner != "pytest" || !p.Ended || p.Code != 1 || p.Meaning != facts.TestsFailed || p.Dir != "/w" || len(p.Argv) != 2 {
		t.Errorf("%+v", p)
	}
}

// TestProbeCleanMeaning: a stream cannot call its own failing status clean.
func TestProbeCleanMeaning(t *testing.T) {
	s, err := Probe(strings.NewReader(probeStart + `{"e":"end","status":1,"meaning":"clean"}` + "\n"))
	if err != nil || s.Process.Meaning != facts.Unknown {
		t.Errorf("%+v %v", s.Process, err)
	}
}
