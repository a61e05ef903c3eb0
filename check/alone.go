package check

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"factgate/config"
)

// claim lets one of several factgates at work on the same key do the work. It never refuses: where locks do not work, the
// work is done without sharing.
func (v *verify) claim(ctx context.Context, j *job) (release func()) {
	if len(v.Args) > 0 || v.Fresh {
		return func() {}
	}
	return v.hold(ctx, j, j.key, "another factgate is running it on the same tree")
}

// alone lets one run at a time write and read results at a place that programs insist on, also between factgates: a
// neighbour's results would be taken for the run's own.
func (v *verify) alone(ctx context.Context, j *job) (release func()) {
	lock, ok := v.placeLock(j.check)
	if !ok {
		return func() {}
	}
	return v.hold(ctx, j, lock, "another check writes its results to the same place")
}

// placeLock names the lock of the place where a check's program writes its results.
func (v *verify) placeLock(c config.Check) (lock string, ok bool) {
	place, ok := v.place(c)
	return "results-" + short(rootHash(v.Config.Root)) + "-" + short(rootHash(place)), ok
}

// place is the folder in which a check's program writes results of its own, or the highest folder above it in which
// another check's does: places that lie in one another are one.
func (v *verify) place(c config.Check) (folder string, ok bool) {
	own, ok := v.base(c)
	if !ok {
		return "", false
	}
	highest := own
	for _, other := range v.Config.Checks {
		if b, ok := v.base(other); ok && (b == "." || strings.HasPrefix(own+"/", b+"/")) && len(b) < len(highest) {
			highest = b
		}
	}
	return highest, true
}

func (v *verify) base(c config.Check) (folder string, ok bool) {
	r, ok := v.Runners.Lookup(c.Runner)
	if !ok || r.Results.Glob == "" {
		return "", false
	}
	below, _ := doublestar.SplitPattern(r.Results.Glob)
	return path.Join(c.Dir, below), true
}

// hold waits for a lock of the store, and tells why it waits.
func (v *verify) hold(ctx context.Context, j *job, lock, why string) (release func()) {
	if v.Store == nil {
		return func() {}
	}
	for told := false; ctx.Err() == nil; {
		release, held, err := v.Store.Claim(lock)
		if held {
			return release
		}
		if err != nil {
			j.notes = append(j.notes, fmt.Sprintf("run without a lock, so another factgate may have run the same at the same time: %v", err))
			break
		}
		if !told {
			j.inQueue()
			v.progress().Wait(j.check.Name, why)
			told = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	return func() {}
}
