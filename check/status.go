package check

import (
	"context"
	"errors"
	"fmt"

	"factgate/process"
	"factgate/record"
	"factgate/verdict"
)

// Status answers like Verify, from records alone: nothing is started but git.
func (k Checker) Status(ctx context.Context, s Selection) (record.Report, error) {
	v, err := k.prepare(s)
	if err != nil {
		return record.Report{}, err
	}
	defer v.save()
	tree, err := v.trees.take(ctx)
	if err != nil {
		return record.Report{}, fmt.Errorf("the tree cannot be read: %w", err)
	}
	running := v.running()
	for _, j := range v.inOrder() {
		var keys []string
		for _, name := range j.check.Needs {
			keys = append(keys, v.jobs[name].key)
		}
		if _, err := v.key(j, tree, keys); err != nil {
			return record.Report{}, err
		}
		v.standing(j, running)
	}
	return v.report(), nil
}

// inOrder lists the jobs, each behind those that it needs.
func (v *verify) inOrder() (out []*job) {
	seen := map[string]bool{}
	var add func(j *job)
	add = func(j *job) {
		if seen[j.check.Name] {
			return
		}
		seen[j.check.Name] = true
		for _, name := range j.check.Needs {
			add(v.jobs[name])
		}
		out = append(out, j)
	}
	for _, j := range v.order {
		add(j)
	}
	return out
}

// running are the started marks by key. One whose process is gone is interrupted, not running.
func (v *verify) running() map[string]record.Mark {
	out := map[string]record.Mark{}
	if v.Store == nil {
		return out
	}
	marks, err := v.Store.Marks(alive)
	if err != nil {
		return out
	}
	for _, m := range marks {
		if old, ok := out[m.Key]; !ok || old.Interrupted {
			out[m.Key] = m
		}
	}
	return out
}

// alive reports whether the process of a started mark still runs.
func alive(pid int, start, boot string) bool {
	_, _, now := process.Self()
	return boot == now && process.Alive(pid, start)
}

// standing settles a job by what the store holds for its key.
func (v *verify) standing(j *job, running map[string]record.Mark) {
	mark, begun := running[j.key]
	if begun && !mark.Interrupted {
		j.state = verdict.State{Status: verdict.StatusRunning}
		j.result = record.ReportCheck{Name: j.check.Name, Runner: j.check.Runner, Outcome: "running", Record: mark.ID,
			Reasons: []string{}, Details: []string{fmt.Sprintf("started %s by process %d", mark.Time.Format("15:04:05"), mark.PID)}}
		return
	}
	var lost []string
	if v.Store != nil {
		proof := v.Store.Proof(j.key, policy(j.check))
		if proof.Entry.ID != "" && v.answer(j, proof) {
			return
		}
		lost = proof.Lost
		if proof.Entry.ID != "" {
			lost = append(lost, proof.Entry.ID)
		}
	}
	reason := verdict.NotRun
	detail := "it never ran on this tree"
	status := verdict.StatusNone
	if begun {
		reason, status = verdict.Interrupted, verdict.StatusEnded
		detail = fmt.Sprintf("run %s was started on this tree and its process is gone: it was killed before it could write its record", mark.ID)
	} else if len(lost) > 0 {
		detail = fmt.Sprintf("a record of this tree cannot be believed (%s): factgate audit says why", paths(lost))
	} else if v.Store != nil {
		if last, err := v.Store.Latest(v.Chain, j.check.Name); err == nil {
			detail = fmt.Sprintf("it never ran on this tree; its newest record, %s, is of another", last.ID)
		} else if !errors.Is(err, record.ErrNotFound) {
			detail += fmt.Sprintf(" (records cannot be read: %v)", err)
		}
	} else {
		detail = "there are no records: " + v.NoStore
	}
	j.state = verdict.State{Status: status, Verdict: verdict.Verdict{}.With(reason)}
	j.result = record.ReportCheck{Name: j.check.Name, Runner: j.check.Runner, Outcome: verdict.Unproven.String(),
		Reasons: []string{string(reason)}, Details: []string{detail}, Advice: []string{"factgate verify " + j.check.Name}}
}
