package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"factgate/facts"
)

// HelperError says how a helper failed. Exactly one of these holds: it could not be started (Start and Err), ctx was done
// before its end (Err), it printed more than the limit (TooLong), it ended with a Code other than 0, or Signal ended it.
type HelperError struct {
	Program string
	Start   facts.StartError
	Code    int    // -1 when there is none
	Signal  string // SIGKILL, …
	TooLong bool
	Err     error
	Stderr  string // the last 4 KiB of what it said, valid UTF-8
}

func (e *HelperError) Error() string {
	how := ""
	switch {
	case e.Err != nil:
		how = e.Err.Error()
	case e.TooLong:
		how = "printed more than is read"
	case e.Signal != "":
		how = "ended by " + e.Signal
	default:
		how = fmt.Sprintf("exit %d", e.Code)
	}
	if said := strings.TrimSpace(e.Stderr); said != "" {
		how += ": " + said
	}
	return e.Program + ": " + strings.TrimPrefix(how, e.Program+": ")
}

func (e *HelperError) Unwrap() error { return e.Err }

// Output runs a helper with an empty standard input and returns what it printed, at most limit bytes of it. The error is
// nil only after a clean exit with the whole output; else it is a *HelperError. When ctx is done the helper's whole group
// is killed. code is -1 when the helper did not end with one.
func Output(ctx context.Context, dir string, env, argv []string, limit int64) (stdout []byte, code int, err error) {
	fail := func(e HelperError) ([]byte, int, error) {
		if len(argv) > 0 {
			e.Program = argv[0]
		}
		if r := (*refusal)(nil); errors.As(e.Err, &r) {
			e.Start = r.kind
		}
		return stdout, e.Code, &e
	}
	if err := ctx.Err(); err != nil {
		return fail(HelperError{Code: -1, Err: err})
	}
	prog, err := resolve(argv, env, dir)
	if err != nil {
		return fail(HelperError{Code: -1, Err: err})
	}
	h, err := ask(prog, limit)
	if err != nil {
		return fail(HelperError{Code: -1, Err: err})
	}
	select {
	case <-h.child.ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
		h.child.signalGroup(sigKill)
		<-h.child.ended
	}
	h.child.signalGroup(sigKill) // whoever it left behind
	code, signal := h.child.reap()
	h.stdout.stop(drainLimit)
	h.stderr.stop(drainLimit)
	e := HelperError{Code: code, Signal: signal, Err: err, Stderr: strings.ToValidUTF8(string(h.said.bytes()), "?")}
	if err != nil {
		return fail(e)
	}
	stdout, e.TooLong = h.printed.Bytes(), h.tooLong
	if e.TooLong || code != 0 || signal != "" {
		return fail(e)
	}
	return stdout, 0, nil
}

// question is a helper at work.
type question struct {
	child          *child
	stdout, stderr *pump
	printed        bytes.Buffer
	tooLong        bool
	said           ring
}

// ask starts a helper.
func ask(prog program, limit int64) (*question, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	outR, outW, err := openPipe()
	if err != nil {
		return nil, err
	}
	defer outW.Close()
	errR, errW, err := openPipe()
	if err != nil {
		outR.Close()
		return nil, err
	}
	defer errW.Close()
	h := &question{said: ring{limit: 4 << 10}}
	if h.child, err = start(prog, []*os.File{null, outW, errW}, how{relation: ownGroup}); err != nil {
		outR.Close()
		errR.Close()
		return nil, err
	}
	h.stdout = startPump(outR, someBytes, func(p []byte) bool {
		room := limit - int64(h.printed.Len())
		h.tooLong = int64(len(p)) > room
		h.printed.Write(p[:min(int64(len(p)), room)])
		return !h.tooLong // a broken pipe then ends it
	})
	h.stderr = startPump(errR, someBytes, func(p []byte) bool {
		h.said.write(p)
		return true
	})
	return h, nil
}
