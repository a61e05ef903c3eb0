package process

import (
	"os"
	"sync"

	"factgate/facts"
)

// output takes what a run prints: one pipe for both of its outputs, so that their order is kept, to the log and the
// live copy.
type output struct {
	w    *os.File // what the run gets
	pump *pump
	live *live // nil: none

	mu     sync.Mutex // the pump may outlive close, when the disk hangs
	log    *capped
	closed bool
}

// openOutput takes over the pipe that is ready.
func openOutput(s Spec, ready *Ready) *output {
	o := &output{w: ready.w, log: openLog(s.Log, s.Head, s.Tail, s.Spool)}
	if s.Out != nil {
		o.live = newLive(s.Out)
	}
	o.pump = startPump(ready.r, manyBytes, o.take)
	ready.r, ready.w = nil, nil
	return o
}

// take is the pump's sink. It never refuses: a program must not get a broken pipe because of us.
func (o *output) take(p []byte) bool {
	o.mu.Lock()
	if !o.closed {
		o.log.write(p)
	}
	closed := o.closed
	o.mu.Unlock()
	if !closed && o.live != nil {
		o.live.offer(p)
	}
	return true
}

// shut closes our end of the pipe, which only the run may hold.
func (o *output) shut() {
	if o.w != nil {
		o.w.Close()
		o.w = nil
	}
}

// close reads what is left in the pipe and completes log and live copy.
func (o *output) close() facts.Output {
	o.shut()
	all := o.pump.stop(drainLimit)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.live != nil {
		o.live.close()
	}
	out := o.log.close()
	out.Truncated = out.Truncated || !all
	return out
}
