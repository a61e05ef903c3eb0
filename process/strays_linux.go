package process

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// tend reaps the run's orphans as they end, until the leader has ended.
func (c *child) tend() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	for {
		select {
		case <-c.ended:
			return
		case <-ended:
			kin.mu.Lock()
			kin.bury()
			kin.mu.Unlock()
		}
	}
}

// Pauses between two looks at strays that were just sent SIGKILL.
const (
	firstPause = 100 * time.Microsecond
	lastPause  = 10 * time.Millisecond
)

// sweeper ends what outlived a leader.
type sweeper struct {
	leader  *child
	daemons []string
	seen    map[identity]bool // strays that were counted
	members map[int]bool      // and those that only the control group showed
	alone   []string          // daemons that were left alone
}

type identity struct {
	pid   int
	birth uint64
}

// sweep ends the processes that outlived the leader, until two looks in a row find none, and counts them. Since orphans
// become our children when their parent ends, killing our own children of this run is enough, again and again; and a
// child of ours keeps its pid until we reap it, so no signal can reach anyone else.
func (c *child) sweep(daemons []string, limit time.Duration) (strays, left int, alone []string) {
	s := &sweeper{leader: c, daemons: daemons, seen: make(map[identity]bool), members: make(map[int]bool)}
	deadline, pause := time.Now().Add(limit), firstPause
	for quiet := 0; quiet < 2; {
		known := s.count()
		if left = s.pass(); left == 0 {
			quiet++
			continue
		}
		if time.Now().After(deadline) {
			break
		}
		quiet = 0
		if s.count() > known {
			pause = firstPause // a moving target is not given time
		}
		time.Sleep(pause) // until the kernel is done with them
		pause = min(2*pause, lastPause)
	}
	slices.Sort(s.alone)
	return s.count() - left, left, slices.Compact(s.alone)
}

// pass kills the run's orphans, and what else is in its control group, and returns how many there were.
func (s *sweeper) pass() int {
	kin.mu.Lock()
	defer kin.mu.Unlock()
	var members []int
	if len(s.daemons) == 0 { // nobody is to be spared, and what forks fast must not be given the time to
		members = s.leader.group.end()
	}
	doomed, spared := s.doomed()
	for _, p := range doomed {
		if !s.seen[identity{p.pid, p.birth}] {
			for _, member := range tree(p) {
				s.seen[identity{member.pid, member.birth}] = true
			}
		}
	}
	if len(doomed) > 0 && !slices.ContainsFunc(spared, func(p proc) bool { return p.pgrp == s.leader.pid }) {
		s.leader.signalGroup(sigKill) // all of them in one step, faster than any of them can fork
	}
	if len(s.daemons) > 0 && len(spared) == 0 {
		members = s.leader.group.end()
	}
	for _, p := range doomed {
		kin.doom(p, s.leader)
		_ = syscall.Kill(p.pid, sigKill)
	}
	others := 0
	for _, pid := range members {
		if !slices.ContainsFunc(doomed, func(p proc) bool { return p.pid == pid }) {
			s.members[pid] = true
			others++
		}
	}
	return len(doomed) + others
}

// doomed are the run's orphans, each of them stopped, so that it forks no more while they are counted, and the daemons
// that are spared.
func (s *sweeper) doomed() (doomed, spared []proc) {
	for _, p := range kin.orphans() {
		if kin.owner(p) != s.leader {
			continue
		}
		_ = syscall.Kill(p.pid, syscall.SIGSTOP) // first: it may fork on as fast as it can
		if name, ok := p.named(s.daemons); ok {
			_ = syscall.Kill(p.pid, syscall.SIGCONT)
			s.alone = append(s.alone, name)
			spared = append(spared, p)
			continue
		}
		doomed = append(doomed, p)
	}
	return doomed, spared
}

// count is how many strays were seen.
func (s *sweeper) count() int {
	for id := range s.seen {
		delete(s.members, id.pid)
	}
	return len(s.seen) + len(s.members)
}
