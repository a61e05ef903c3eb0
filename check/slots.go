package check

import (
	"context"
	"slices"
	"sync"
)

// slots let so many runs go on at the same time. Who waits is served in the order in which they asked.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting []chan struct{}
}

// ask queues up. The returned channel is closed when the slot is there.
func (s *slots) ask() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := make(chan struct{})
	if s.free > 0 {
		s.free--
		close(turn)
	} else {
		s.waiting = append(s.waiting, turn)
	}
	return turn
}

// wait waits for the slot that was asked for, and returns what gives it back.
func (s *slots) wait(ctx context.Context, turn chan struct{}) (release func()) {
	select {
	case <-turn:
		return s.give
	case <-ctx.Done():
	}
	s.mu.Lock()
	if i := slices.Index(s.waiting, turn); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.mu.Unlock()
		return func() {}
	}
	s.mu.Unlock()
	return s.give // it came at the same moment
}

func (s *slots) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	close(s.waiting[0])
	s.waiting = s.waiting[1:]
}
