package process

import (
	"io"
	"sync/atomic"
	"time"
)

const (
	liveBuffers  = 16 // of at most manyBytes each
	livePatience = time.Second
)

// live hands copies of the output to a writer that may be slow, or stuck: a terminal that is paused, a pager. A slow one
// slows the program down, as a terminal would; one that takes nothing for a second loses output instead.
type live struct {
	w     io.Writer
	queue chan []byte   // full buffers, in order; room for all there are
	free  chan []byte   // empty ones
	flush chan struct{} // closed: write what is queued, and end
	done  chan struct{} // closed: it has ended
	stuck atomic.Bool   // the last wait for a free buffer was in vain
	gone  atomic.Bool   // given up: do not write any more
}

func newLive(w io.Writer) *live {
	l := &live{
		w: w, queue: make(chan []byte, liveBuffers), free: make(chan []byte, liveBuffers),
		flush: make(chan struct{}), done: make(chan struct{}),
	}
	for range liveBuffers {
		l.free <- nil
	}
	go l.run()
	return l
}

func (l *live) run() {
	defer close(l.done)
	for {
		select {
		case b := <-l.queue:
			l.write(b)
			continue
		case <-l.flush:
		}
		for {
			select {
			case b := <-l.queue:
				l.write(b)
			default:
				return
			}
		}
	}
}

// write writes one buffer. The first error ends the live copy, and nothing else.
func (l *live) write(b []byte) {
	if !l.gone.Load() {
		if _, err := l.w.Write(b); err != nil {
			l.gone.Store(true)
		}
	}
	l.free <- b
}

// offer passes on a copy of p, or drops it.
func (l *live) offer(p []byte) {
	if l.gone.Load() {
		return
	}
	var buf []byte
	select {
	case buf = <-l.free:
	default:
		if l.stuck.Load() {
			return
		}
		timer := time.NewTimer(livePatience)
		defer timer.Stop()
		select {
		case buf = <-l.free:
		case <-timer.C:
			l.stuck.Store(true)
			return
		}
	}
	l.stuck.Store(false)
	l.queue <- append(buf[:0], p...)
}

// close waits for what was passed on, as long as the writer takes any of it.
func (l *live) close() {
	close(l.flush)
	timer := time.NewTicker(livePatience)
	defer timer.Stop()
	for waiting := liveBuffers + 1; ; {
		select {
		case <-l.done:
			return
		case <-timer.C:
		}
		if now := len(l.queue); now < waiting && !l.stuck.Load() {
			waiting = now
			continue
		}
		l.gone.Store(true)
		return
	}
}
