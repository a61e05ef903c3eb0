package process

import (
	"errors"
	"os"
	"time"
)

// How much is read at a time of a helper's answer, and of a run's output: a flood of it costs less in large parts.
const (
	someBytes = 64 << 10
	manyBytes = 256 << 10
)

// floodGap is the time between two parts of a flood at most. Waiting for the next one in the kernel, and not in the
// runtime's poller, costs half of it.
const floodGap = time.Millisecond

// pump reads a pipe and gives what it reads to a sink, in a goroutine of its own, until the end of the pipe or stop.
type pump struct {
	r     *os.File
	buf   []byte
	sink  func([]byte) bool // false: read no more; writers get a broken pipe
	done  chan struct{}
	until chan time.Time // from stop: how long the last bytes may take
}

// startPump reads r, at most size bytes at a time, until stop is called, which must happen.
func startPump(r *os.File, size int, sink func([]byte) bool) *pump {
	p := &pump{r: r, buf: make([]byte, size), sink: sink, done: make(chan struct{}), until: make(chan time.Time, 1)}
	go p.run()
	return p
}

func (p *pump) run() {
	defer close(p.done)
	var last time.Time
	flood := false
	for {
		var n int
		var err error
		if flood && len(p.until) == 0 {
			n = readSoon(p.r, p.buf, floodGap)
		}
		if n <= 0 {
			n, err = p.r.Read(p.buf)
		}
		if n > 0 && !p.sink(p.buf[:n]) {
			p.r.Close()
			return
		}
		now := time.Now()
		flood, last = now.Sub(last) < floodGap, now
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			p.rest()
			return
		case err != nil:
			return
		}
	}
}

// rest reads what is in the pipe, and does not wait for more.
func (p *pump) rest() {
	for until := <-p.until; time.Now().Before(until); {
		n := readNow(p.r, p.buf)
		if n <= 0 || !p.sink(p.buf[:n]) {
			return
		}
	}
}

// stop ends the reading: what is in the pipe now still counts, and nobody who holds its other end is waited for. It
// returns after limit in any case, with false when the sink may still be at work.
func (p *pump) stop(limit time.Duration) bool {
	p.until <- time.Now().Add(limit)
	interrupt(p.r, p.done, limit)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	defer p.r.Close()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}
