package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"factgate/check"
	"factgate/config"
	"factgate/process"
	"factgate/record"
	"factgate/runners"
)

// project finds factgate.toml at or above the working directory, reads all of it, and opens the store of records. A store
// that cannot be opened is no reason to refuse: what runs is then unrecorded.
func (a *app) project() (check.Checker, error) {
	dir, err := filepath.Abs(a.dir)
	if err != nil {
		return check.Checker{}, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return check.Checker{}, fail("name a folder with -C", "%s is not a folder", dir)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	path, err := config.Find(dir)
	if err != nil {
		return check.Checker{}, fail("make one there, or name the folder that has it with -C DIR; docs/config.md has an example",
			"there is no factgate.toml in %s or above it", dir)
	}
	file, problems := config.Load(path)
	set, more := runners.New(file.Runners)
	for i := range more {
		more[i].File = filepath.Base(path)
	}
	problems = append(problems, more...)
	problems = append(problems, check.Problems(file, set)...)
	slices.SortStableFunc(problems, func(a, b config.Problem) int { return a.Line - b.Line })
	if len(problems) > 0 {
		return check.Checker{}, fail("nothing was started", "%s", config.Format(problems))
	}
	k := check.Checker{Config: file, Runners: set, Self: a.self, Control: a.getenv("FACTGATE_CGROUP"), Version: Version, Env: a.env, Now: a.now}
	if k.Chain, err = check.ChainName(file.Root); err != nil {
		k.NoStore = err.Error()
		return k, nil
	}
	if k.State, err = a.stateDir(); err != nil {
		k.NoStore = err.Error()
		return k, nil
	}
	if within(file.Root, k.State) {
		return k, fail("set FACTGATE_STATE_DIR to a folder outside of it", "the state directory %s lies in the repository that it keeps records of", k.State)
	}
	if k.Store, err = record.OpenStore(k.State); err != nil {
		k.Store, k.NoStore = nil, err.Error()
		var d *record.DirError
		if errors.As(err, &d) {
			k.NoStore += ": " + d.Hint
		}
	}
	return k, nil
}

// recorded is a project whose records can be read.
func (a *app) recorded() (check.Checker, error) {
	k, err := a.project()
	if err == nil && k.Store == nil {
		err = fail("make the state directory readable, or set FACTGATE_STATE_DIR", "there are no records: %s", k.NoStore)
	}
	return k, err
}

func within(root, path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// oneSignal is within which time the same signal twice is one: nobody presses Ctrl-C so quickly.
const oneSignal = 20 * time.Millisecond

// interruptible is a context that the user's signals end. The first one stops what runs and says why; a second one kills
// it at once, unless it is the same one that came twice: timeout(1) sends its own to the process and then to its group. A closed output never ends us before the records are written.
func interruptible() (ctx context.Context, hard <-chan struct{}, done func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	kill := make(chan struct{})
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var first os.Signal
		var at time.Time
		for killed := false; ; {
			select {
			case <-quit:
				return
			case s := <-signals:
				switch {
				case first == nil:
					first, at = s, time.Now()
					cancel(process.Stopped{Signal: s.(syscall.Signal)})
				case s == first && time.Since(at) < oneSignal || killed:
				default:
					killed = true
					close(kill)
				}
			}
		}
	}()
	return ctx, kill, func() {
		signal.Stop(signals)
		close(quit)
		<-ended
		cancel(nil)
	}
}

// interruptedBy is the exit code of a command that a signal ended.
func interruptedBy(ctx context.Context) (code int, ok bool) {
	var s process.Stopped
	if !errors.As(context.Cause(ctx), &s) {
		return 0, false
	}
	if s.Signal == syscall.SIGINT {
		return exitINT, true
	}
	if s.Signal == syscall.SIGTERM {
		return exitTERM, true
	}
	return 128 + int(s.Signal), true
}
