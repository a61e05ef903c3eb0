package record

import (
	"errors"
	"fmt"

	"factgate/verdict"
)

// ErrNotFound means that the store holds no such record.
var ErrNotFound = errors.New("no such record")

// ErrSignature means that the bytes are not what the signer signed.
var ErrSignature = errors.New("the signature does not fit the bytes")

// UntrustedError means that the record was signed with a key that is not trusted here.
type UntrustedError struct{ KeyID string }

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("signed with an unknown key %.16s", e.KeyID)
}

// FormatError means that the bytes are not a record of this format.
type FormatError struct{ Why string }

func (e *FormatError) Error() string { return "not a record: " + e.Why }

// ForgedError means that a record states a verdict that its own facts do not give under the rules version it names.
type ForgedError struct {
	ID              string
	Version         int
	States, Follows verdict.Verdict
}

func (e *ForgedError) Error() string {
	return fmt.Sprintf("it states %s %q, but its facts give %s %q by rules version %d",
		e.States.Outcome, e.States.Reasons, e.Follows.Outcome, e.Follows.Reasons, e.Version)
}

// DirError means that a directory is refused as a store, because others could write to it or lead us elsewhere.
type DirError struct{ Dir, Why, Hint string }

func (e *DirError) Error() string { return fmt.Sprintf("state directory %s: %s", e.Dir, e.Why) }

// WriteError means that the store could not keep something. The caller decides again with facts.Run.Unrecorded set.
type WriteError struct {
	Path string
	Err  error
}

func (e *WriteError) Error() string { return fmt.Sprintf("write %s: %v", e.Path, e.Err) }
func (e *WriteError) Unwrap() error { return e.Err }

// AmbiguousError means that a prefix names more than one record.
type AmbiguousError struct {
	Prefix string
	IDs    []string // some of them
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q begins more than one record, such as %q", e.Prefix, e.IDs)
}
