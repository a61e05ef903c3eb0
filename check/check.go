// Package check takes one check from plan to record (check.go), and all of them with needs, jobs and reuse (verify.go).
//
// The whole flow stands in execute and run below: plan, tree before, process, tree after, results, facts, decide, record.
package check

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"factgate/config"
	"factgate/facts"
	"factgate/process"
	"factgate/record"
	"factgate/runners"
	"factgate/verdict"
	"factgate/worktree"
)

// Checker holds what every check of one repository shares.
type Checker struct {
	Config   config.File
	Runners  runners.Set
	Store    *record.Store // nil: nothing can be recorded, and NoStore says why
	NoStore  string
	State    string   // state directory
	Self     string   // the factgate executable
	Control  string   // see process.Spec
	Version  string   // of factgate
	Env      []string // inherited by the programs, after the runners took their words out
	Now      func() time.Time
	Chain    string // of records: the repository and the root in it
	Jobs     int    // 0: what factgate.toml says
	Hard     <-chan struct{}
	Progress Progress                    // nil: none
	Output   func(name string) io.Writer // the live console of a check, closed at its end where it can be; nil: none
	Watch    bool                        // report cases while they end
}

// Progress hears what happens while it happens.
type Progress interface {
	Begin(names []string) // of the checks, in their order
	Start(name, runner string)
	Wait(name, why string)
	Cases(name string, n int)
	End(record.ReportCheck)
}

// budget is how short a run must be to be repeated by itself when it moved the tree: a step that generates code
// converges at the second time.
const budget = time.Minute

// execute runs one check, twice where its first run moved the tree and was well otherwise, and settles the job. One that
// failed is not tried again, whatever it moved, and neither is one that rewrote what it should be held against: it would
// agree with itself.
func (v *verify) execute(ctx context.Context, j *job, needs []string) {
	v.progress().Start(j.check.Name, j.check.Runner)
	var r record.Record
	var again string // why there is a second run
	for attempt := 1; ; attempt++ {
		before, err := v.trees.recent(ctx)
		if err != nil {
			v.refuse(j, facts.TreeUnknown, err.Error())
			return
		}
		prog, err := v.key(j, before, needs) // anew: the tree may have changed while we waited
		if err != nil {
			v.fail(j, err)
			return
		}
		inputs, _ := v.inputs(before, j.check)
		r = v.run(ctx, j, before, inputs, prog, attempt, again)
		moved := slices.Equal(r.Verdict.Reasons, []verdict.Reason{verdict.TreeMoved}) && r.Run.Exit.Duration < budget && len(j.args) == 0
		if attempt == 2 || !moved || ctx.Err() != nil {
			break
		}
		again = "its first run changed " + paths(r.Run.Tree.Moved) + "; it ran once more on the tree that this left, and that run is what counts"
	}
	today := r.Verdict
	if v.Store != nil && r.Run.Unrecorded == "" && len(j.args) == 0 {
		if proof := v.Store.Proof(j.key, policy(j.check)); proof.Entry.ID == r.ID {
			today = proof.Verdict
		}
	}
	v.ended(j, r, today, nil, false)
}

// run takes one check from plan to signed record. A red run is a record, not an error.
func (v *verify) run(ctx context.Context, j *job, before *worktree.Tree, inputs string, prog program, attempt int, again string) record.Record {
	r := v.blank(j, before, inputs, prog, attempt)
	marked, unmark := v.mark(j, r)
	defer unmark()                                                      // when the record is there: whoever is killed before leaves the mark
	ready := process.Prepare(v.Self, runMark(v.runMark(j.check, r.ID))) // it starts while we write
	defer ready.Close()
	plan, runDir, err := v.plan(ctx, j, r.ID)
	defer removeAll(runDir)
	if err != nil {
		r.Run.Exit = facts.Exit{Code: -1, StartError: facts.StartFailed, StartText: err.Error()}
		return v.keep(r)
	}
	if s := plan.StandIn; s != nil {
		if exit, refused := process.Refused(s.Program, s.Env, plan.Dir); refused {
			r.Run.NoCases, r.Run.Notes, r.Run.Exit = plan.NoCases, plan.Notes, exit
			return v.keep(r)
		}
	}
	aside, restore, err := moveAside(plan, v.Config.Root, runDir, v.setAside(j.check, r.ID))
	defer restore()
	if err != nil {
		r.Run.Exit = facts.Exit{Code: -1, StartError: facts.StartFailed, StartText: err.Error()}
		return v.keep(r)
	}
	lost, forget := v.lost(j.key, plan.Daemons)
	r.Argv, r.Run.NoCases, r.Run.Notes = plan.Argv, plan.NoCases, plan.Notes
	version := v.version(ctx, plan, prog)
	tree := v.describe(ctx, before)
	r.Started = v.Now()
	stopWatching := v.watch(j.check.Name, runDir)
	spec := v.spec(j, plan, r.ID)
	spec.Ready = ready
	marked()
	exit := process.Run(ctx, spec)
	if out, ok := spec.Out.(io.Closer); ok {
		out.Close() // a display: its errors are its own
	}
	stopWatching()
	r.Ended = v.Now()
	r.Run.Exit = exit
	r.Run.Results = read(v.Runners, plan, v.Config.Root, runDir, aside)
	explainBuild(&r.Run)
	r.Run.Meaning = plan.Meaning(exit, r.Run.Results.Processes...)
	lateWriters(&r, runDir, v.Config.Root)
	r.Tree = tree()
	v.compare(ctx, j, &r, before)
	r.Tools.Runner = version(r.Run.Results)
	r.Run.Notes = append(append(r.Run.Notes, notes(r.Run)...), j.notes...)
	if again != "" {
		r.Run.Notes = append(r.Run.Notes, again)
	}
	r.Run.Notes = append(r.Run.Notes, lost...)
	if r = v.keep(r); r.Run.Unrecorded == "" {
		forget()
	}
	return r
}

// blank is the record of a run before anything happened.
func (v *verify) blank(j *job, before *worktree.Tree, inputs string, prog program, attempt int) record.Record {
	now := v.Now()
	c := j.check
	r := record.Record{
		ID: record.NewID(now), Check: c.Name, Config: v.Config.Digest, Key: j.key, Runner: c.Runner, Argv: declared(j),
		Program: record.Program{Path: prog.Path, SHA256: prog.Digest}, Dir: c.Dir, Tier: c.Gate, Timeout: c.Timeout,
		Attempt: attempt, Trigger: v.Trigger, Rerun: v.Rerun, Rules: c.Rules, Started: now, Ended: now,
		Inputs: record.Inputs{Patterns: c.Inputs, Digest: inputs}, Outputs: v.Runners.Outputs(c),
		Tools: record.Tools{Factgate: v.Version, OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()},
		Chain: record.Chain{Name: v.Chain},
		Run:   facts.Run{Focused: len(j.args) > 0, Exit: facts.Exit{Code: -1}, Tree: facts.Tree{Before: inputs}},
	}
	if before != nil {
		r.Tree.ID = before.ID
	}
	for _, name := range c.KeepEnv {
		e := record.Env{Name: name, Kept: true}
		if value, ok := lookupEnv(v.Env, name); ok {
			e.Digest = v.envDigest(name, value)
		}
		r.Env = append(r.Env, e)
	}
	for name, value := range c.Env {
		r.Env = append(r.Env, record.Env{Name: name, Digest: v.envDigest(name, value)})
	}
	slices.SortFunc(r.Env, func(a, b record.Env) int { return strings.Compare(a.Name, b.Name) })
	return r
}

// describe finds out, beside the run, what the record says of the tree, and has the store ready for it. The returned
// function waits for that.
func (v *verify) describe(ctx context.Context, t *worktree.Tree) func() record.Tree {
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.trees.inspect(context.WithoutCancel(ctx), t)
		v.trees.holdAgainstHead(t)
		if v.Store != nil {
			v.Store.Ready(v.Chain)
		}
	}()
	return func() record.Tree {
		<-done
		return record.Tree{ID: t.ID, Head: t.Head, GitTree: t.GitTree, Dirty: t.Dirty, Anomalies: t.Anomalies, LeftOut: first(t.Left, 100)}
	}
}

// plan asks the machine what the runner must know, makes the private directory, and plans.
func (v *verify) plan(ctx context.Context, j *job, id string) (p runners.Plan, runDir string, err error) {
	if v.Store != nil {
		runDir, err = v.Store.RunDir(id)
	} else {
		runDir, err = os.MkdirTemp("", "factgate-run-")
	}
	if err != nil {
		return p, "", err
	}
	m := runners.Machine{RunDir: runDir, RunMark: v.runMark(j.check, id), Fresh: v.Fresh, Args: j.args, Seal: rand.Text()}
	p, err = v.planIn(ctx, j.check, m)
	if err == nil && p.Source.Dir != "" {
		err = os.MkdirAll(p.Source.Dir, 0o700)
	}
	return p, runDir, err
}

// planIn plans a check as it would run with m's private directory, mark, seal, arguments and freshness.
func (v *verify) planIn(ctx context.Context, c config.Check, m runners.Machine) (runners.Plan, error) {
	tools, err := placeTools(v.State, v.Self, v.Runners)
	if err != nil && v.Store == nil { // no state directory at all: what it would hold goes where the run's files are
		tools, err = placeTools(m.RunDir, v.Self, v.Runners)
	}
	if err != nil {
		return runners.Plan{}, err
	}
	m.Env, m.Root, m.Tools, m.Self, m.OS, m.Arch = v.Env, v.Config.Root, tools, v.Self, runtime.GOOS, runtime.GOARCH
	m.Fresh = m.Fresh || c.Rules.RefuseCached
	m.Answers = map[string]string{}
	v.ask(ctx, c, m.Env, m.Answers)
	v.askInstalled(ctx, c, m.Answers)
	return v.Runners.Plan(c, m)
}

// runMark names the run to everything that it starts. Inside another run the marks follow each other.
func (k Checker) runMark(c config.Check, id string) string {
	mark := c.Name + "@" + short(rootHash(k.Config.Root)) + "/" + id
	if outer := lookup(k.Env, "FACTGATE_RUN"); outer != "" {
		return outer + "," + mark
	}
	return mark
}

// insideItself reports whether a process above us runs this very check.
func (v *verify) insideItself(j *job) bool {
	own := j.check.Name + "@" + short(rootHash(v.Config.Root)) + "/"
	for mark := range strings.SplitSeq(lookup(v.Env, "FACTGATE_RUN"), ",") {
		if strings.HasPrefix(mark, own) {
			return true
		}
	}
	return false
}

// ask answers the runner's probes that are a file to read, or a program to start. A probe without an answer has none.
func (k Checker) ask(ctx context.Context, c config.Check, env []string, answers map[string]string) {
	dir := filepath.Join(k.Config.Root, filepath.FromSlash(c.Dir))
	for _, p := range k.Runners.Probes(c) {
		if p.Program != "" {
			continue // see askInstalled
		}
		if p.File != "" {
			if data, ok := nearest(dir, k.Config.Root, p.File); ok {
				answers[p.ID] = data
			}
			continue
		}
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		out, code, err := process.Output(limited, dir, env, p.Argv, 64<<10)
		cancel()
		if err == nil && code == 0 {
			answers[p.ID] = string(out)
		}
	}
}

// nearest reads a file in dir or in the nearest folder above it, up to the root.
func nearest(dir, root, name string) (string, bool) {
	for at := dir; ; at = filepath.Dir(at) {
		if data, err := Head(filepath.Join(at, filepath.FromSlash(name)), 256<<10); err == nil {
			return string(data), true
		}
		if at == root || len(at) <= len(root) {
			return "", false
		}
	}
}

// runMark is the variable that the processes of a run carry.
func runMark(mark string) string { return runners.EnvRun + "=" + mark }

func (v *verify) spec(j *job, p runners.Plan, id string) process.Spec {
	c := j.check
	s := process.Spec{Self: v.Self, Control: v.Control, Argv: p.Argv, Dir: p.Dir, Env: p.Env, Timeout: c.Timeout, Grace: c.Grace, Hard: v.Hard,
		Mark: runMark(v.runMark(c, id)), Daemons: p.Daemons,
		Head: v.Config.Output.Head, Tail: v.Config.Output.Tail, Spool: v.Config.Output.Spool}
	if v.Output != nil {
		s.Out = v.Output(c.Name)
	}
	if v.Store != nil {
		if path, err := v.Store.LogPath(id); err == nil {
			s.Log = path
		}
	}
	return s
}

// compare takes the tree again and notes what moved while the check ran.
func (v *verify) compare(ctx context.Context, j *job, r *record.Record, before *worktree.Tree) {
	after, err := v.trees.take(context.WithoutCancel(ctx))
	if err != nil {
		r.Run.Tree.Unknown = err.Error()
		return
	}
	r.Tree.After = after.ID
	r.Run.Tree.After, _ = v.inputs(after, j.check)
	r.Run.Tree.Moved, r.Run.Tree.Touched = worktree.Compare(before, after, j.check.Inputs, v.outputs)
	if len(r.Run.Tree.Moved) == 0 && r.Run.Tree.After != r.Run.Tree.Before {
		r.Run.Tree.Unknown = "the digest of the inputs changed, and no path says how"
	}
	r.Run.Tree.Moved, r.Run.Tree.Touched = first(r.Run.Tree.Moved, 100), first(r.Run.Tree.Touched, 100)
}

func first(list []string, n int) []string { return list[:min(n, len(list))] }

// mark writes down that the run begins, for whoever looks while it runs or after we were killed. It does so beside the
// preparation; marked waits until it is done.
func (v *verify) mark(j *job, r record.Record) (marked, unmark func()) {
	if v.Store == nil {
		return func() {}, func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		pid, start, boot := process.Self()
		_ = v.Store.Begin(record.Mark{ID: r.ID, PID: pid, Start: start, Boot: boot, Chain: v.Chain, Key: j.key,
			Check: j.check.Name, Argv: r.Argv, Time: r.Started}) // without a mark nobody hears of it before it is recorded
	}()
	marked = func() { <-done }
	return marked, func() {
		<-done
		_ = v.Store.End(r.ID) // a mark that stays reads as interrupted, which the record corrects
	}
}

// keep signs and stores a record. One that cannot be kept is decided again as unrecorded, and proves nothing.
func (v *verify) keep(r record.Record) record.Record {
	if v.Store == nil {
		return unrecorded(r, v.NoStore)
	}
	kept, err := v.Store.Append(r)
	if err != nil {
		return unrecorded(r, err.Error())
	}
	if kept.Chain.Position%sweepEvery == 0 {
		limits := record.Limits{Runs: v.Config.Store.Runs, Age: v.Config.Store.Age, Bytes: v.Config.Store.Bytes}
		_, _ = v.Store.Collect(v.Chain, limits, v.Now(), alive) // what could not be collected is tried again later
	}
	return kept
}

// sweepEvery is after how many records of a chain retention is looked at.
const sweepEvery = 64

func unrecorded(r record.Record, why string) record.Record {
	r.Run.Unrecorded = why
	r.Verdict = verdict.Decide(r.Run, r.Rules)
	return r
}

// fail settles a job that could not even be planned.
func (v *verify) fail(j *job, err error) {
	r := v.blank(j, v.trees.latest(), "", program{}, 1)
	r.Run.NoCases = j.runner.NoCases
	r.Run.Exit = facts.Exit{Code: -1, StartError: facts.StartFailed, StartText: err.Error()}
	r = v.keep(r)
	v.ended(j, r, r.Verdict, nil, false)
}

// declared is a check's command as factgate.toml has it, before anything of ours is added.
func declared(j *job) []string {
	if len(j.check.Command) > 0 {
		return slices.Concat(j.check.Command, j.check.Args)
	}
	return slices.Concat(j.runner.Command, j.check.Args)
}

// refuse settles a job whose program was not started, and records why.
func (v *verify) refuse(j *job, why facts.Obstacle, detail string) {
	r := v.blank(j, v.trees.latest(), "", program{}, 1)
	r.Run.NotStarted = &facts.NotStarted{Why: why, Detail: detail}
	r.Run.NoCases = j.runner.NoCases
	if why == facts.TreeUnknown {
		r.Run.Tree.Unknown = detail
	}
	r = v.keep(r)
	v.ended(j, r, r.Verdict, nil, false)
}
