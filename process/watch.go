package process

import (
	"context"
	"errors"
	"syscall"
	"time"

	"factgate/facts"
)

// watch waits for the leader's end, and stops it when its time is over or when it is told to: a signal to the group, the
// grace period, SIGKILL to the group. It notes in exit what it did. It returns false when the leader outlives SIGKILL.
func watch(ctx context.Context, c *child, s Spec, exit *facts.Exit) bool {
	var timeout, grace, death <-chan time.Time
	if s.Timeout > 0 {
		t := time.NewTimer(s.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	// send reports false, and sends nothing, when the leader had ended by then: that ending is its own.
	send := func(signals ...syscall.Signal) bool {
		if c.over() {
			return false
		}
		for _, sig := range signals {
			c.signalGroup(sig)
			exit.Sent = append(exit.Sent, signalName(sig))
		}
		return true
	}
	stopping := func() bool { return grace != nil || death != nil }
	ask := func(sig syscall.Signal) bool {
		if !send(politely(sig)...) {
			return false
		}
		grace = time.After(s.Grace)
		return true
	}
	done, hard := ctx.Done(), s.Hard
	for {
		select {
		case <-c.ended:
			return true
		case <-timeout:
			timeout = nil
			if !stopping() { // the grace period of a cancelled run is not held against it
				exit.TimedOut = ask(sigTerm)
			}
		case <-done:
			done = nil
			if stopping() || ask(asked(ctx)) {
				exit.Cancelled = cancelledBy(ctx)
			}
		case <-hard:
			hard, grace = nil, nil
			if send(sigKill) && !exit.TimedOut && exit.Cancelled == "" {
				exit.Cancelled = signalName(sigKill)
			}
			death = time.After(deathLimit)
		case <-grace:
			grace = nil
			send(sigKill)
			death = time.After(deathLimit)
		case <-death:
			if !c.over() {
				return false
			}
			<-c.ended
			return true
		}
	}
}

// asked is the signal that a cancelled run is sent: SIGINT after an interrupt, else SIGTERM.
func asked(ctx context.Context) syscall.Signal {
	var s Stopped
	if errors.As(context.Cause(ctx), &s) && s.Signal == syscall.SIGINT {
		return syscall.SIGINT
	}
	return sigTerm
}
