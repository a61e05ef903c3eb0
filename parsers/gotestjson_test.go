package parsers

import (
	"strings"
	"testing"

	"factgate/facts"
)

// goLines writes events of package p, from short forms: "run T", "pass T", "out T text", "out text", "start", "pass".
func goLines(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		action, rest, _ := strings.Cut(e, " ")
		b.WriteString(`{"Action":"` + action + `","Package":"p"`)
		if action == "output" {
			if test, text, ok := strings.Cut(rest, ":"); ok {
				b.WriteString(`,"Output":"` + text + `"`)
				rest = test
			}
		}
		if rest != "" {
			b.WriteString(`,"Test":"` + rest + `"`)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func TestGoStream(t *testing.T) {
	done := []string{`output :PASS\n`, `output :ok  \tp\t0.1s\n`, "pass"}
	with := func(events ...string) string {
		return goLines(append(append([]string{"start"}, events...), done...)...)
	}
	for _, c := range []struct{ name, text, want, code string }{
		{"green", with("run A", "pass A"), "passed", ""},
		{"leaf only", with("run A", "run A/b", "pass A/b", "pass A"), "passed", ""},
		{"slashes in a name", with("run A", "run A/b/c", "run A/b", "pass A/b/c", "pass A/b", "pass A"), "passed passed", ""},
		{"parent skipped after its child", with("run A", "run A/b", "pass A/b", "skip A"), "passed", ""},
		{"child failed", with("run A", "run A/b", "fail A/b", "fail A"), "failed", ""},
		{"parent failed", with("run A", "run A/b", "pass A/b", "fail A"), "passed failed", ""},
		{"grandchild failed", with("run A", "run A/b", "run A/b/c", "fail A/b/c", "fail A/b", "fail A"), "failed", ""},
		{"not ended", with("run A"), "errored", ""},
		{"child not ended", with("run A", "run A/b"), "errored", ""},
		{"parent not ended", with("run A", "run A/b", "pass A/b"), "passed errored", ""},
		{"benchmark", with("run BenchmarkA"), "", "benchmark"},
		{"twice", with("run A", "pass A", "run A", "fail A"), "passed failed", "duplicate_id"},
		{"started again before its end", with("run A", "run A", "pass A"), "errored passed", "started_again"},
		{"benchmark beside a failure", goLines("start", "run BenchmarkA", "run BenchmarkB", "fail BenchmarkB", `output :FAIL\n`, "fail"), "failed", "benchmark"},
		{"never started", with("pass A"), "passed", ""},
		{"unknown action", with("run A", "wobble A"), "errored", "unknown_event"},
		{"no end", goLines("start", "run A", "pass A"), "errored", "package_not_ended"},
		{"no PASS", goLines("start", "run A", "pass A", "pass"), "passed", "no_pass_line"},
		{"FAIL and pass", goLines("start", "run A", "pass A", `output :FAIL\n`, "pass"), "passed", "fail_line_in_pass"},
		{"PASS printed by a test", goLines("start", "run A", `output A:PASS\n`, "pass A", "pass"), "passed", "no_pass_line"},
		{"PASS in the middle of a line", goLines("start", "run A", "pass A", `output :xPASS\n`, "pass"), "passed", "no_pass_line"},
		{"benchmark not ended", goLines("start", "run BenchmarkA", "fail"), "errored", ""},
		{"text", with("run A", "pass A") + "go: downloading x\n", "passed", "text_in_stream"},
		{"broken line", with("run A", "pass A") + "{\"Action\":\n", "passed", "broken_line"},
		{"started again", with("run A", "pass A") + with("run B", "pass B"), "passed passed", ""},
		{"started again, not ended", with("run A", "pass A") + goLines("start"), "passed", "package_not_ended"},
		{"other package not ended", with("run A", "pass A") + `{"Action":"start","Package":"q"}` + "\n", "passed", "package_not_ended"},
	} {
		r := parse(t, "gotestjson", []byte(c.text))
		if got := statuses(r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if _, ok := has(r, c.code); c.code != "" && !ok || c.code == "" && len(r.Problems) > 0 {
			t.Errorf("%s: %v, want %q", c.name, r.Problems, c.code)
		}
	}
}

func TestGoOutside(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       facts.OutsideKind
		message    string
	}{
		{"flag", goLines("start", `output :flag provided but not defined: -nope\n`, `output :Usage of a.test:\n`, `output :  -test.v\n`, "fail"), facts.OutsideTests,
			"failed outside its tests: flag provided but not defined: -nope"},
		{"exit", goLines("start", "run A", "pass A", `output :PASS\n`, `output :goodbye\n`, "fail"), facts.OutsideTests, "failed outside its tests: goodbye"},
		{"silent exit", goLines("start", "fail"), facts.OutsideTests, "failed, and no test of it did (TestMain, os.Exit or a crash)"},
		{"signal", goLines("start", `output :signal: segmentation fault\n`, "fail"), facts.Crash, "the test binary of p was ended by a signal: segmentation fault"},
		{"panic of a goroutine behind a test", goLines("start", "run A", `output A:--- PASS: A (0.00s)\n`, `output A:panic: late\n`, "pass A", "fail"), facts.OutsideTests,
			"failed outside its tests: panic: late"},
		{"build before go 1.24", "FAIL\tp [build failed]\n", facts.Build, "FAIL\tp [build failed]"},
		{"build of nothing else", `{"ImportPath":"x","Action":"build-fail"}` + "\n", facts.Build, "build failed"},
	} {
		r := parse(t, "gotestjson", []byte(c.text))
		if len(r.Outside) != 1 || r.Outside[0].Kind != c.kind || r.Outside[0].Message != c.message {
			t.Errorf("%s: %+v", c.name, r.Outside)
		}
	}
}

// TestGoLongOutput: an endless line of output loses nothing but its middle.
func TestGoLongOutput(t *testing.T) {
	text := goLines("start", "run A", `output A:`+strings.Repeat(`\"é`, 200_000)+`\n`, "fail A", `output :FAIL\n`, "fail")
	r := parse(t, "gotestjson", []byte(text))
	if r.Counts.Failed != 1 || !r.Complete || len(r.Cases[0].Failures[0].Text) > standard().text+200 {
		t.Errorf("%+v %v", r.Counts, r.Problems)
	}
	if w, ok := has(r, "texts_cut"); !ok || w.Blocking() {
		t.Errorf("%v", r.Problems)
	}
}

// TestGoOutputIsReleased: the cap is on what runs at once, not on all that is printed.
func TestGoOutputIsReleased(t *testing.T) {
	text := `output A:` + strings.Repeat("z", 150) + `\n`
	var events []string
	for range 50 {
		events = append(events, "run A", text, "pass A")
	}
	r, err := goTestJSON(strings.NewReader(goLines(append(events, "run A", text, "fail A")...)), small())
	if _, cut := has(r, "texts_cut"); err != nil || cut {
		t.Errorf("%v %v", r.Problems, err)
	}
}
