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
			kin.orphans()
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
	s := &sweeper{leader: c, daemons: daemons, seen: make(map[identity]bool)}
	deadline, pause := time.Now().Add(limit), firstPause
	for quiet := 0; quiet < 2; {
		known := len(s.seen)
		if left = s.pass(); left == 0 {
			quiet++
			continue
		}
		if time.Now().After(deadline) {
			break
		}
		quiet = 0
		if len(s.seen) > known {
			pause = firstPause // a moving target is not given time
		}
		time.Sleep(pause) // until the kernel is done with them
		pause = min(2*pause, lastPause)
	}
	slices.Sort(s.alone)
	return len(s.seen) - left, left, slices.Compact(s.alone)
}

// pass kills the run's orphans, and what else is in its control group, and returns how many there were.
func (s *sweeper) pass() int {
	kin.mu.Lock()
	defer kin.mu.Unlock()
	var doomed []proc
	spared := make(map[int]bool) // daemons, by pid
	ours := false                // one of them is in the leader's group
	for _, p := range kin.orphans() {
		if kin.owner(p) != s.leader {
			continue
		}
		if name, ok := p.named(s.daemons); ok {
			s.alone = append(s.alone, name)
			ours = ours || p.pgrp == s.leader.pid
			for _, member := range tree(p) {
				spared[member.pid] = true
			}
			continue
		}
		_ = syscall.Kill(p.pid, syscall.SIGSTOP) // it forks no more while we count
		doomed = append(doomed, p)
	}
	for _, p := range doomed {
		if !s.seen[identity{p.pid, p.birth}] {
			for _, member := range tree(p) {
				s.seen[identity{member.pid, member.birth}] = true
			}
		}
	}
	if len(doomed) > 0 && !ours {
		s.leader.signalGroup(sigKill) // all of them in one step, faster than any of them can fork
	}
	others := 0
	if len(spared) == 0 {
		others = s.killControl(doomed)
	}
	for _, p := range doomed {
		kin.doom(p, s.leader)
		_ = syscall.Kill(p.pid, sigKill)
	}
	return len(doomed) + others
}

// killControl kills the run's control group in one step, in whatever groups and sessions its members are, and returns how
// many it had beside those known.
func (s *sweeper) killControl(known []proc) (others int) {
	for _, pid := range s.leader.group.members() {
		p, ok := readProc(pid)
		if ok && !p.dead() && !slices.ContainsFunc(known, func(k proc) bool { return k.pid == pid }) {
			s.seen[identity{p.pid, p.birth}] = true
			others++
		}
	}
	s.leader.group.kill()
	return others
}
