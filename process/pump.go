package process

import (
	"errors"
	"os"
	"time"
)

// pump reads a pipe and gives what it reads to a sink, in a goroutine of its own, until the end of the pipe or stop.
type pump struct {
	r     *os.File
	sink  func([]byte) bool // false: read no more; writers get a broken pipe
	done  chan struct{}
	until chan time.Time // from stop: how long the last bytes may take
}

// startPump reads r until stop is called, which must happen.
func startPump(r *os.File, sink func([]byte) bool) *pump {
	p := &pump{r: r, sink: sink, done: make(chan struct{}), until: make(chan time.Time, 1)}
	go p.run()
	return p
}

func (p *pump) run() {
	defer close(p.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := p.r.Read(buf)
		if n > 0 && !p.sink(buf[:n]) {
			p.r.Close()
			return
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			p.rest(buf)
			return
		case err != nil:
			return
		}
	}
}

// rest reads what is in the pipe, and does not wait for more.
func (p *pump) rest(buf []byte) {
	for until := <-p.until; time.Now().Before(until); {
		n := readNow(p.r, buf)
		if n <= 0 || !p.sink(buf[:n]) {
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
