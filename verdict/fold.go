package verdict

// Status is where a check stands. The zero value is a state that we do not know, which is never an absence.
type Status uint8

const (
	StatusUnknown Status = iota
	StatusNone           // never asked for
	StatusQueued         // asked for and not begun
	StatusRunning        // begun and not ended
	StatusEnded          // its Verdict is known
)

// State is one check's part in the verdict on a tree.
type State struct {
	Status  Status
	Verdict Verdict // of an ended one, standing reasons included
}

// Tree is the verdict on a whole tree. Nothing but TreePassed is ever drawn green.
type Tree string

const (
	TreeNone     Tree = "none"     // no check has run
	TreeFailed   Tree = "failed"   // at least one failed, timed out or was cancelled
	TreeRunning  Tree = "running"  // at least one has not ended, or is in a state that we do not know
	TreeUnproven Tree = "unproven" // at least one ended without proof, or was never asked for
	TreePassed   Tree = "passed"   // every one passed
)

// Fold takes the checks of a tree together. The order of the questions is the rule: none has run, any failed, any not
// ended or unknown, any without proof; what is left passed.
func Fold(states []State) Tree {
	var none, failed, running, unproven int
	for _, s := range states {
		switch s.Status {
		case StatusNone:
			none++
		case StatusEnded:
			switch {
			case s.Verdict.Outcome == Failed:
				failed++
			case s.Verdict.Outcome != Passed || len(s.Verdict.Reasons) > 0:
				unproven++
			}
		default:
			running++
		}
	}
	switch {
	case none == len(states):
		return TreeNone
	case failed > 0:
		return TreeFailed
	case running > 0:
		return TreeRunning
	case unproven > 0 || none > 0:
		return TreeUnproven
	default:
		return TreePassed
	}
}
