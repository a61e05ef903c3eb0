// Package limit keeps one caller from taking all the time: a bucket of tokens that fills up again.
package limit

import (
	"sync"
	"time"
)

// Limiter hands out at most burst tokens at once and one more each interval.
type Limiter struct {
	interval time.Duration
	burst    int
	now      func() time.Time

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens int
	filled time.Time // when tokens was true
}

// New makes a limiter. It panics when nothing could ever pass.
func New(burst int, interval time.Duration, now func() time.Time) *Limiter {
	if burst < 1 || interval <= 0 {
		panic("limit: nothing can pass")
	}
	return &Limiter{interval: interval, burst: burst, now: now, buckets: map[string]bucket{}}
}

// Allow takes a token for who. If there is none, it says how long to wait.
func (l *Limiter) Allow(who string) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	b, known := l.buckets[who]
	if !known {
		b = bucket{l.burst, now}
	}
	if n := int(now.Sub(b.filled) / l.interval); n > 0 {
		b.tokens = min(l.burst, b.tokens+n)
		b.filled = b.filled.Add(time.Duration(n) * l.interval)
	}
	if b.tokens == 0 {
		l.buckets[who] = b
		return b.filled.Add(l.interval).Sub(now), false
	}
	if b.tokens == l.burst {
		b.filled = now
	}
	b.tokens--
	l.buckets[who] = b
	return 0, true
}

// Forget drops callers whose bucket is full again and says how many.
func (l *Limiter) Forget() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, dropped := l.now(), 0
	for who, b := range l.buckets {
		if now.Sub(b.filled) >= time.Duration(l.burst-b.tokens)*l.interval {
			delete(l.buckets, who)
			dropped++
		}
	}
	return dropped
}
