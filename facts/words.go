package facts

import "fmt"

// Meaning is what an exit code says, by the runner's own documentation.
type Meaning uint8

const (
	Unknown          Meaning = iota // an integer that the runner does not document; never clean
	Clean                           // the runner says that all is well
	TestsFailed                     // a test failed
	BuildFailed                     // the code does not compile
	CollectionFailed                // a test file does not load
	ThresholdFailed                 // a coverage or similar limit was missed
	NoTests                         // the runner found nothing to run
	Interrupted                     // the runner stopped itself or was asked to
	Misused                         // wrong arguments or configuration
	Broke                           // an internal error of the runner
	NotClean                        // not 0, behind a wrapper or for a program without a table: it failed, and how is not said
)

var meanings = []string{"unknown", "clean", "tests_failed", "build_failed", "collection_failed", "threshold_failed",
	"no_tests", "interrupted", "misused", "broke", "not_clean"}

// Status is how one case ended.
type Status uint8

const (
	StatusUnknown Status = iota // could not be understood; blocking
	Passed
	Failed
	Errored
	Skipped
)

var statuses = []string{"unknown", "passed", "failed", "errored", "skipped"}

// Weight is the doubt that a problem casts on results.
type Weight uint8

const (
	Malformed  Weight = iota // cannot be understood as results; blocking
	Missing                  // no results were written; blocking
	Stale                    // what lies there was not written by this run; blocking
	Truncated                // cut off; blocking
	Incomplete               // the proof that the runner reached its end is not there, or the file changed after the end; blocking
	Contradict               // two derivations of one number differ; blocking
	Note                     // worth saying and of no weight
)

var weights = []string{"malformed", "missing", "stale", "truncated", "incomplete", "contradict", "note"}

// Blocking reports whether a problem of this weight forbids a pass.
func (w Weight) Blocking() bool { return w != Note }

// OutsideKind is the kind of a failure outside cases.
type OutsideKind uint8

const (
	OutsideTests OutsideKind = iota // a hook, an unhandled error, a suite-level failure
	Build                           // does not compile
	Collection                      // does not load
	Threshold                       // a limit was missed
	Crash                           // a process below the leader was ended by a signal
)

var outsideKinds = []string{"outside_tests", "build", "collection", "threshold", "crash"}

// StartError is why a program could not be started. The zero value means that it was started.
type StartError string

const (
	NotFound       StartError = "not_found"       // no such program
	NotExecutable  StartError = "not_executable"  // no permission, a directory, or not a program
	BadInterpreter StartError = "bad_interpreter" // the interpreter that its first line names is not there
	ArgsTooLong    StartError = "args_too_long"
	NoProcesses    StartError = "no_processes" // the system refused another process
	NoDir          StartError = "no_dir"       // the working directory is not there
	StartFailed    StartError = "start_failed" // any other reason
)

// Obstacle is why a run was not started.
type Obstacle string

const (
	NeedNotPassed     Obstacle = "need_not_passed"
	RequirementFailed Obstacle = "requirement_failed"
	InputsEmpty       Obstacle = "inputs_empty"
	TreeUnknown       Obstacle = "tree_unknown"
	RunsItself        Obstacle = "runs_itself" // the same check is being run by a process above us
)

func (m Meaning) String() string     { return word(meanings, int(m)) }
func (s Status) String() string      { return word(statuses, int(s)) }
func (w Weight) String() string      { return word(weights, int(w)) }
func (k OutsideKind) String() string { return word(outsideKinds, int(k)) }

func (m Meaning) MarshalText() ([]byte, error)     { return []byte(m.String()), nil }
func (s Status) MarshalText() ([]byte, error)      { return []byte(s.String()), nil }
func (w Weight) MarshalText() ([]byte, error)      { return []byte(w.String()), nil }
func (k OutsideKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText refuses words that are not in the list.
func (m *Meaning) UnmarshalText(b []byte) error { return index(meanings, b, (*uint8)(m), "meaning") }

// UnmarshalText refuses words that are not in the list.
func (s *Status) UnmarshalText(b []byte) error { return index(statuses, b, (*uint8)(s), "status") }

// UnmarshalText refuses words that are not in the list.
func (w *Weight) UnmarshalText(b []byte) error { return index(weights, b, (*uint8)(w), "weight") }

// UnmarshalText refuses words that are not in the list.
func (k *OutsideKind) UnmarshalText(b []byte) error {
	return index(outsideKinds, b, (*uint8)(k), "kind")
}

// Meanings lists every word that an exits table may use, in the order of the constants.
func Meanings() []string { return append([]string(nil), meanings...) }

func word(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return words[0]
}

func index(words []string, b []byte, to *uint8, what string) error {
	for i, w := range words {
		if w == string(b) {
			*to = uint8(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not a %s (one of %q)", b, what, words)
}
