package process

import (
	"errors"
	"time"
)

// How much is read at a time of a helper's answer, and of a run's output: a flood of it costs less in large parts.
const (
	someBytes = 64 << 10
	manyBytes = 256 << 10
)

// pump reads a pipe and gives what it reads to a sink, in a goroutine of its own, until the end of the pipe or stop.
type pump struct {
	r     *source
	buf   []byte
	sink  func([]byte) bool // false: read no more; writers get a broken pipe
	done  chan struct{}
	until chan time.Time // from stop: how long the last bytes may take
}

// startPump reads r, at most size bytes at a time, until stop is called, which must happen.
func startPump(r *source, size int, sink func([]byte) bool) *pump {
	p := &pump{r: r, buf: make([]byte, size), sink: sink, done: make(chan struct{}), until: make(chan time.Time, 1)}
	go p.run()
	return p
}

func (p *pump) run() {
	defer close(p.done)
	for {
		n, err := p.r.read(p.buf)
		switch {
		case n > 0 && !p.sink(p.buf[:n]):
			p.r.Close()
			return
		case errors.Is(err, errQuit):
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
		n := p.r.readNow(p.buf)
		if n <= 0 || !p.sink(p.buf[:n]) {
			return
		}
	}
}

// stop ends the reading: what is in the pipe now still counts, and nobody who holds its other end is waited for. It
// returns after limit in any case, with false when the sink may still be at work.
func (p *pump) stop(limit time.Duration) bool {
	p.until <- time.Now().Add(limit)
	p.r.interrupt(p.done, limit)
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
