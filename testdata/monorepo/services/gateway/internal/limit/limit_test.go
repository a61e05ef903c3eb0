package limit

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time           { return c.at }
func (c *clock) pass(after time.Duration) { c.at = c.at.Add(after) }

func setup(burst int) (*Limiter, *clock) {
	c := &clock{time.Date(2025, 6, 2, 8, 0, 0, 0, time.UTC)}
	return New(burst, time.Second, c.now), c
}

func take(t *testing.T, l *Limiter, who string, want bool) {
	t.Helper()
	if _, ok := l.Allow(who); ok != want {
		t.Fatalf("%s: allowed %t, want %t", who, ok, want)
	}
}

func TestBurst(t *testing.T) {
	l, _ := setup(3)
	for _, want := range []bool{true, true, true, false, false} {
		take(t, l, "a", want)
	}
}

func TestCallersDoNotShare(t *testing.T) {
	l, _ := setup(1)
	take(t, l, "a", true)
	take(t, l, "a", false)
	take(t, l, "b", true)
}

func TestOneTokenEachInterval(t *testing.T) {
	l, c := setup(2)
	take(t, l, "a", true)
	take(t, l, "a", true)
	c.pass(999 * time.Millisecond)
	take(t, l, "a", false)
	c.pass(time.Millisecond)
	take(t, l, "a", true)
	take(t, l, "a", false)
}

func TestNeverMoreThanTheBurst(t *testing.T) {
	l, c := setup(2)
	take(t, l, "a", true)
	c.pass(time.Hour)
	for _, want := range []bool{true, true, false} {
		take(t, l, "a", want)
	}
}

func TestWait(t *testing.T) {
	l, c := setup(1)
	take(t, l, "a", true)
	c.pass(300 * time.Millisecond)
	if wait, ok := l.Allow("a"); ok || wait != 700*time.Millisecond {
		t.Errorf("wait %v, %t", wait, ok)
	}
}

func TestForget(t *testing.T) {
	l, c := setup(2)
	take(t, l, "early", true)
	c.pass(time.Second)
	take(t, l, "late", true)
	if n := l.Forget(); n != 1 {
		t.Errorf("forgot %d, want 1", n)
	}
	take(t, l, "late", true)
	take(t, l, "late", false)
}

func TestNothingCanPass(t *testing.T) {
	for name, make := range map[string]func(){
		"no burst":    func() { New(0, time.Second, time.Now) },
		"no interval": func() { New(1, 0, time.Now) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			make()
		})
	}
}

func TestManyAtOnce(t *testing.T) {
	l, _ := setup(50)
	var wait sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	for range 200 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if _, ok := l.Allow("all"); ok {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		}()
	}
	wait.Wait()
	if passed != 50 {
		t.Errorf("%d passed", passed)
	}
}

// The one test with the clock on the wall: the others prove the arithmetic, this one the wiring.
func TestRealTime(t *testing.T) {
	l := New(1, 300*time.Millisecond, time.Now)
	take(t, l, "a", true)
	wait, ok := l.Allow("a")
	if ok || wait > 300*time.Millisecond {
		t.Fatal(wait, ok)
	}
	time.Sleep(wait)
	take(t, l, "a", true)
}

func TestCoarseClock(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("only the clock of Windows stands still for milliseconds")
	}
	l := New(1, time.Microsecond, time.Now)
	take(t, l, "a", true)
}
