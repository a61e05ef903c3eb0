// Package facts holds what one run showed. It is data only: nothing here concludes, prints or touches the machine.
//
// Together with verdict and record it is all that verifying a record takes; the other packages promise nothing to
// outsiders. The zero value of every enum is the doubtful one, so that a forgotten case can never read as passed.
package facts

import "time"

// Run is everything that one execution of one check showed.
type Run struct {
	Exit    Exit    `json:"exit"`    // how the process that we started ended
	Meaning Meaning `json:"meaning"` // what that exit code means, by the runner's table or, behind a wrapper, clean or not_clean
	Results Results `json:"results"` // what the runner wrote
	Tree    Tree    `json:"tree"`    // the bytes before and after

	NoCases    bool        `json:"no_cases,omitempty"`    // the runner writes no results: a clean exit is the evidence
	NotStarted *NotStarted `json:"not_started,omitempty"` // why no process was started; Exit is then empty
	Focused    bool        `json:"focused,omitempty"`     // narrowed by extra arguments
	WrongTree  []string    `json:"wrong_tree,omitempty"`  // source loaded from another worktree or clone of this repository
	Wiring     []string    `json:"wiring,omitempty"`      // hook wiring or host settings that changed meanwhile
	Unrecorded string      `json:"unrecorded,omitempty"`  // why the record could not be written
	Notes      []string    `json:"notes,omitempty"`       // said, and of no weight: removed words, nested runs, daemons left alone
}

// NotStarted says why nothing was started.
type NotStarted struct {
	Why    Obstacle `json:"why"`
	Detail string   `json:"detail"`
}

// Exit is how a program ended. Exactly one of these holds: it could not be started, it ended with Code, Signal ended it, or
// its ending was Lost.
type Exit struct {
	StartError StartError `json:"start_error,omitempty"` // could not be started
	StartText  string     `json:"start_text,omitempty"`  // the system's words for it
	Code       int        `json:"code"`                  // 0..255 on Unix, 32 bits unsigned on Windows; -1 when there is none
	Signal     string     `json:"signal,omitempty"`      // SIGKILL, SIGSEGV, …; empty when it ended with a code

	TimedOut   bool          `json:"timed_out,omitempty"` // its time was over before it ended
	Cancelled  string        `json:"cancelled,omitempty"` // the signal, or "context", that made us stop it
	Lost       string        `json:"lost,omitempty"`      // why nobody saw how it ended; it has then neither Code nor Signal
	Sent       []string      `json:"sent,omitempty"`      // signals that we sent before the leader ended, in order
	Strays     int           `json:"strays"`              // processes of the run that outlived the leader and were ended by us
	StraysLeft int           `json:"strays_left"`         // and those that could not be ended
	Daemons    []string      `json:"daemons,omitempty"`   // known build daemons that were left alone
	OOMKills   int           `json:"oom_kills,omitempty"` // processes of the run that the kernel ended for lack of memory, where it says so
	Duration   time.Duration `json:"duration_ns"`         // start to the leader's end, monotonic
	Output     Output        `json:"output"`
	Ended      time.Time     `json:"-"` // the leader's end by the wall clock, for who looks at what it wrote; not recorded
}

// Output is what became of the bytes that the program printed.
type Output struct {
	Bytes     int64  `json:"bytes"`               // all that was printed
	Kept      int64  `json:"kept"`                // what the log holds
	Truncated bool   `json:"truncated,omitempty"` // the log lacks something
	SHA256    string `json:"sha256,omitempty"`    // of the log as kept, lower-case hex
	Log       string `json:"log,omitempty"`       // path of the log
}

// Tree is the identity of the code under test around the run.
type Tree struct {
	Before  string   `json:"before"`            // identity of the check's inputs before the start
	After   string   `json:"after"`             // and after the end; empty when nothing was started
	Unknown string   `json:"unknown,omitempty"` // why the tree could not be read
	Moved   []string `json:"moved,omitempty"`   // inputs whose bytes differ afterwards, outputs left out
	Touched []string `json:"touched,omitempty"` // inputs with the same bytes that were rewritten meanwhile
}

// Results is what was read from all results files of a run.
type Results struct {
	Files     []File    `json:"files,omitempty"`
	Processes []Process `json:"processes,omitempty"` // runner processes that reported themselves through our probe
	Claims    Claims    `json:"claims"`              // what the files say of themselves
	Counts    Counts    `json:"counts"`              // what was counted in them
	Complete  bool      `json:"complete"`            // the proof that each runner process reached its end is there
	Cases     []Case    `json:"cases,omitempty"`
	Outside   []Outside `json:"outside,omitempty"` // failures that belong to no case
	Problems  []Problem `json:"problems,omitempty"`
}

// File is one results file that was read.
type File struct {
	Path   string `json:"path"` // relative to the run's private directory, or to the root for a path that the runner insists on
	Format string `json:"format"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the very bytes that were parsed, lower-case hex
}

// Process is one runner process that our probe saw.
type Process struct {
	Runner  string   `json:"runner"`
	Argv    []string `json:"argv,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	Ended   bool     `json:"ended"`             // its own end was seen
	Code    int      `json:"code"`              // the status that it ended with; -1 when it is not known
	Meaning Meaning  `json:"meaning"`           // of Code, by its runner's table
	Version string   `json:"version,omitempty"` // as the runner itself says
	Nested  bool     `json:"nested,omitempty"`  // started by a test; a note, it proves nothing
}

// Claims are totals that a results file states. A nil pointer means that it states none.
type Claims struct {
	Tests    *int `json:"tests,omitempty"`
	Passed   *int `json:"passed,omitempty"`
	Failures *int `json:"failures,omitempty"`
	Errors   *int `json:"errors,omitempty"`
	Skipped  *int `json:"skipped,omitempty"`
}

// Counts are the cases by status.
type Counts struct {
	Cases    int `json:"cases"`
	Executed int `json:"executed"` // Cases - Skipped - Cached
	Passed   int `json:"passed"`   // flaky ones and cached ones included
	Failed   int `json:"failed"`
	Errored  int `json:"errored"`
	Skipped  int `json:"skipped"`
	Unknown  int `json:"unknown,omitempty"` // cases whose status could not be understood
	Flaky    int `json:"flaky"`
	Cached   int `json:"cached"` // replayed by the runner from its own cache
}

// Case is one test in the results.
type Case struct {
	ID       string        `json:"id"` // stable between runs
	Name     string        `json:"name"`
	Suite    string        `json:"suite,omitempty"` // class, module, package or describe path
	File     string        `json:"file,omitempty"`  // as the runner says it; relative to Process.Dir, Run's dir or absolute
	Line     int           `json:"line,omitempty"`  // 1-based; 0 when unknown
	Status   Status        `json:"status"`
	Kind     string        `json:"kind,omitempty"` // of a skip: skip, todo, xfail, disabled, ignored
	Reason   string        `json:"reason,omitempty"`
	Failures []Failure     `json:"failures,omitempty"` // every one, worst first
	Attempts int           `json:"attempts,omitempty"` // when more than one
	Flaky    bool          `json:"flaky,omitempty"`    // failed and then passed within this run
	Cached   bool          `json:"cached,omitempty"`   // replayed, not executed now
	Duration time.Duration `json:"duration_ns,omitempty"`
	Source   int           `json:"source,omitempty"` // index in Results.Files
}

// Failure is one failure of a case.
type Failure struct {
	Message string `json:"message"`        // one line where the runner gives one
	Type    string `json:"type,omitempty"` // exception or assertion type
	Text    string `json:"text,omitempty"` // head and tail of the trace, capped
	File    string `json:"file,omitempty"` // where it failed, when that is known
	Line    int    `json:"line,omitempty"`
	Error   bool   `json:"error,omitempty"` // an error (set-up, unexpected exception) rather than a failed assertion
}

// Outside is a failure that belongs to no case.
type Outside struct {
	Kind    OutsideKind `json:"kind"`
	Where   string      `json:"where,omitempty"` // file, package or hook
	Message string      `json:"message"`
	Text    string      `json:"text,omitempty"`
	File    string      `json:"file,omitempty"`
	Line    int         `json:"line,omitempty"`
}

// Problem is something wrong with, or notable about, a results file. Weight is the doubt it casts.
type Problem struct {
	Code   string `json:"code"`   // truncated, claims_above_counts, no_junit_element, replaced_bytes, …
	Detail string `json:"detail"` // a sentence with the numbers
	Weight Weight `json:"weight"`
	Path   string `json:"path,omitempty"`
	Offset int64  `json:"offset,omitempty"` // byte offset in the file, when that is known
}

// Count counts cases by status.
func Count(cases []Case) Counts {
	var n Counts
	for i := range cases {
		n.Add(&cases[i])
	}
	return n
}

// Add counts one more case.
func (n *Counts) Add(c *Case) {
	n.Cases++
	switch c.Status {
	case Passed:
		n.Passed++
	case Failed:
		n.Failed++
	case Errored:
		n.Errored++
	case Skipped:
		n.Skipped++
	default:
		n.Unknown++
	}
	if c.Flaky {
		n.Flaky++
	}
	if c.Cached && c.Status != Skipped {
		n.Cached++
	}
	n.Executed = n.Cases - n.Skipped - n.Cached
}

// Merge adds what another file showed. An incomplete part makes the whole incomplete.
func (r *Results) Merge(o Results) {
	first := len(r.Files) == 0 && len(r.Processes) == 0 && len(r.Cases) == 0 && len(r.Problems) == 0 && len(r.Outside) == 0
	shift := len(r.Files)
	r.Files = append(r.Files, o.Files...)
	r.Processes = append(r.Processes, o.Processes...)
	for _, c := range o.Cases {
		c.Source += shift
		r.Cases = append(r.Cases, c)
	}
	r.Outside = append(r.Outside, o.Outside...)
	r.Problems = append(r.Problems, o.Problems...)
	r.Counts = r.Counts.plus(o.Counts)
	r.Claims = r.Claims.plus(o.Claims)
	r.Complete = o.Complete && (first || r.Complete)
}

func (n Counts) plus(o Counts) Counts {
	return Counts{
		Cases: n.Cases + o.Cases, Executed: n.Executed + o.Executed, Passed: n.Passed + o.Passed,
		Failed: n.Failed + o.Failed, Errored: n.Errored + o.Errored, Skipped: n.Skipped + o.Skipped,
		Unknown: n.Unknown + o.Unknown, Flaky: n.Flaky + o.Flaky, Cached: n.Cached + o.Cached,
	}
}

func (c Claims) plus(o Claims) Claims {
	add := func(a, b *int) *int {
		if a == nil {
			return b
		}
		if b == nil {
			return a
		}
		sum := *a + *b
		return &sum
	}
	return Claims{
		Tests: add(c.Tests, o.Tests), Passed: add(c.Passed, o.Passed), Failures: add(c.Failures, o.Failures),
		Errors: add(c.Errors, o.Errors), Skipped: add(c.Skipped, o.Skipped),
	}
}
