package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"factgate/config"
	"factgate/facts"
	"factgate/record"
	"factgate/runners"
	"factgate/verdict"
	"factgate/worktree"
)

// verify is one Verify at work.
type verify struct {
	Checker
	Selection
	trees    *trees
	treeErr  error
	answers  *worktree.Answers
	programs *programs
	outputs  []string // of every check in the file
	slots    slots
	jobs     map[string]*job
	order    []*job
	back     map[string][]string // notes by check: what was put back, see putBack

	mu   sync.Mutex
	stop string // why nothing more is started
}

// job is one check of a verify.
type job struct {
	check  config.Check
	runner runners.Runner
	args   []string        // narrow it; none for a check that is only needed by the one that was named
	before <-chan struct{} // queued of the one before it
	queued chan struct{}   // closed when it has asked for its slot, or will not before others
	once   sync.Once       // closes queued
	done   chan struct{}
	notes  []string // of what came before its run

	key    string
	state  verdict.State
	result record.ReportCheck
}

// Verify answers for the selected checks and what they need: from records where they prove it, by running them where they
// do not. Red is an answer, not an error; an error means that nothing was run.
func (k Checker) Verify(ctx context.Context, s Selection) (record.Report, error) {
	v, err := k.prepare(s)
	if err != nil {
		return record.Report{}, err
	}
	defer v.save()
	v.begin()
	v.putBack()
	if _, v.treeErr = v.trees.take(ctx); v.treeErr != nil && ctx.Err() != nil {
		return record.Report{}, context.Cause(ctx)
	}
	var all sync.WaitGroup
	all.Go(func() { v.trees.holdAgainstHead(v.trees.latest()) })
	for _, j := range v.order {
		all.Go(func() {
			defer close(j.done)
			defer j.inQueue()
			v.one(ctx, j)
		})
	}
	all.Wait()
	return v.report(), nil
}

// save keeps for the next run what was found out about the machine and by git.
func (v *verify) save() {
	v.programs.save()
	v.answers.Save()
}

// begin tells which checks there are.
func (v *verify) begin() {
	var names []string
	for _, j := range v.order {
		names = append(names, j.check.Name)
	}
	v.progress().Begin(names)
}

// prepare resolves everything that can be wrong before the first program starts.
func (k Checker) prepare(s Selection) (*verify, error) {
	v := &verify{Checker: k, Selection: s, jobs: map[string]*job{}}
	if err := v.pick(); err != nil {
		return nil, err
	}
	v.programs = newPrograms(k.Config.Root, k.programCache())
	v.answers = worktree.NewAnswers(k.gitAnswers())
	v.trees = &trees{identify: k.identify(v.ignoredInputs(), v.answers), now: k.Now}
	n := k.Config.Jobs
	if k.Jobs > 0 {
		n = k.Jobs
	}
	if n <= 0 {
		n = runtime.NumCPU()
	}
	v.slots.free = n
	for _, c := range k.Config.Checks { // of all, so that a key does not depend on what was selected
		v.outputs = append(v.outputs, k.Runners.Outputs(c)...)
	}
	slices.Sort(v.outputs)
	v.outputs = slices.Compact(v.outputs)
	return v, nil
}

// ignoredInputs are the declared inputs: a file that .gitignore hides counts where one of them names it.
func (v *verify) ignoredInputs() (patterns []string) {
	for _, c := range v.Config.Checks {
		patterns = append(patterns, c.Inputs...)
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// identify takes the identity of the tree below the root.
func (k Checker) identify(ignored []string, answers *worktree.Answers) func(context.Context) (*worktree.Tree, error) {
	return func(ctx context.Context) (*worktree.Tree, error) {
		return worktree.Identify(ctx, k.Config.Root, worktree.Options{
			Ignore: k.Config.Ignore, Ignored: ignored, Cache: k.treeCache(), Env: k.Env, Git: k.git, Now: k.Now, Answers: answers,
		})
	}
}

// programCache is "" where there is no state directory: a relative path would lie in the user's own folder.
func (k Checker) programCache() string {
	if k.State == "" {
		return ""
	}
	return filepath.Join(k.State, "programs.json")
}

func (k Checker) treeCache() string {
	if k.Store == nil {
		return ""
	}
	return filepath.Join(k.State, "trees", k.Chain+"-"+short(rootHash(k.Config.Root)))
}

func (k Checker) gitAnswers() string {
	if cache := k.treeCache(); cache != "" {
		return cache + ".git"
	}
	return ""
}

// inQueue lets those behind j in the file ask for their slots.
func (j *job) inQueue() { j.once.Do(func() { close(j.queued) }) }

// one answers for one check.
func (v *verify) one(ctx context.Context, j *job) {
	blocked, keys := v.awaitNeeds(j)
	if why := v.stopped(ctx); why != "" {
		v.notRun(j, why)
		return
	}
	if v.treeErr != nil {
		v.keyWithoutTree(j)
		v.refuse(j, facts.TreeUnknown, v.treeErr.Error())
		return
	}
	tree := v.trees.latest()
	_, unmatched := v.inputs(tree, j.check)
	_, err := v.key(j, tree, keys)
	switch {
	case len(unmatched) > 0:
		v.refuse(j, facts.InputsEmpty, fmt.Sprintf("inputs match no file: %q", unmatched))
		return
	case v.insideItself(j):
		v.refuse(j, facts.RunsItself, fmt.Sprintf("the check %q is running already, and its command started factgate for it again", j.check.Name))
		return
	case blocked != "":
		v.refuse(j, facts.NeedNotPassed, blocked)
		return
	case err != nil:
		v.fail(j, err)
		return
	}
	if v.fromRecords(j) {
		return
	}
	release := v.claim(ctx, j)
	defer release()
	if v.fromRecords(j) { // another factgate may have done it while we waited
		return
	}
	if j.before != nil {
		<-j.before // so that programs are started in the order of the file
	}
	defer v.alone(ctx, j)()
	turn := v.slots.ask()
	j.inQueue()
	defer v.slots.wait(ctx, turn)()
	if why := v.stopped(ctx); why != "" {
		v.notRun(j, why)
		return
	}
	v.execute(ctx, j, keys)
}

// awaitNeeds waits for the checks that j needs. It says which did not pass, and returns the keys of all.
func (v *verify) awaitNeeds(j *job) (blocked string, keys []string) {
	if len(j.check.Needs) > 0 {
		j.inQueue()
	}
	for _, name := range j.check.Needs {
		need := v.jobs[name]
		<-need.done
		keys = append(keys, need.key)
		if need.state.Verdict.Outcome != verdict.Passed || need.state.Status != verdict.StatusEnded {
			blocked = fmt.Sprintf("it needs %s, which did not pass", name)
		}
	}
	return blocked, keys
}

func (v *verify) stopped(ctx context.Context) string {
	if ctx.Err() != nil {
		return "verify was stopped before this check was started"
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stop
}

// fromRecords answers from the store, where the newest run of the key proves the check or shows a failure that stays.
func (v *verify) fromRecords(j *job) bool {
	if v.Store == nil || v.Fresh || len(j.args) > 0 {
		return false
	}
	proof := v.Store.Proof(j.key, policy(j.check))
	if proof.State == record.ProofProven || proof.State == record.ProofStays && v.Rerun == "" {
		return v.answer(j, proof)
	}
	return false
}

// answer settles a job by the record that a proof names. The record itself is opened: an index proves nothing.
func (v *verify) answer(j *job, proof record.Proof) bool {
	r, err := v.Store.Get(proof.Entry.ID)
	if err != nil || r.Key != j.key {
		return false
	}
	today := proof.Verdict
	if own := verdict.Decide(r.Run, policyRules(j.check, r)); today.Outcome == verdict.Passed && own.Outcome != verdict.Passed {
		today = own
	}
	v.ended(j, r, today, &record.Reused{Record: r.ID, At: r.Ended}, proof.State == record.ProofStays)
	return true
}

// policyRules are today's rules for a record: a rerun reason says that its own retries were expected.
func policyRules(c config.Check, r record.Record) verdict.Rules {
	rules := c.Rules
	rules.AcceptFlaky = rules.AcceptFlaky || r.Rerun != ""
	return rules
}

func policy(c config.Check) record.Policy { return record.Policy{Rules: c.Rules, Timeout: c.Timeout} }

// notRun says that a check was never started in this verify.
func (v *verify) notRun(j *job, why string) {
	j.state = verdict.State{Status: verdict.StatusEnded, Verdict: verdict.Verdict{}.With(verdict.NotRun)}
	j.result = record.ReportCheck{Name: j.check.Name, Runner: j.check.Runner, Outcome: verdict.Unproven.String(),
		Reasons: []string{string(verdict.NotRun)}, Details: []string{why}, Notes: v.back[j.check.Name]}
	v.progress().End(j.result)
}

// ended settles a job by a record and today's verdict on it.
func (v *verify) ended(j *job, r record.Record, today verdict.Verdict, reused *record.Reused, stays bool) {
	j.state = verdict.State{Status: verdict.StatusEnded, Verdict: today}
	j.result = v.tell(j.check, r, today, reused, stays)
	j.result.Notes = append(j.result.Notes, v.back[j.check.Name]...)
	if today.Outcome == verdict.Failed && v.FailFast {
		v.mu.Lock()
		v.stop = fmt.Sprintf("not started: %s failed, and --fail-fast was given", j.check.Name)
		v.mu.Unlock()
	}
	v.progress().End(j.result)
}

// report folds the answers of all checks.
func (v *verify) report() record.Report {
	r := record.Report{Schema: record.ReportSchema, Checks: []record.ReportCheck{}, Open: []string{},
		Tree: record.ReportTree{Anomalies: []string{}}}
	if len(v.Names) == 0 {
		r.Tier = v.Tier
	}
	var states []verdict.State
	for _, j := range v.order {
		states = append(states, j.state)
		r.Checks = append(r.Checks, j.result)
	}
	for _, c := range v.Config.Checks {
		if v.jobs[c.Name] == nil && c.Gate != "off" {
			r.Open = append(r.Open, c.Name)
		}
	}
	r.Verdict = string(verdict.Fold(states))
	if t := v.trees.latest(); t != nil {
		v.trees.holdAgainstHead(t)
		r.Tree = record.ReportTree{ID: t.ID, Head: t.Head, Dirty: t.Dirty, Anomalies: append([]string{}, t.Anomalies...)}
	}
	return r
}

// progress is never nil.
func (v *verify) progress() Progress {
	if v.Checker.Progress == nil {
		return silent{}
	}
	return v.Checker.Progress
}

type silent struct{}

func (silent) Begin([]string)         {}
func (silent) Start(string, string)   {}
func (silent) Wait(string, string)    {}
func (silent) Cases(string, int)      {}
func (silent) End(record.ReportCheck) {}

func removeAll(dir string) {
	if dir != "" {
		os.RemoveAll(dir)
	}
}
