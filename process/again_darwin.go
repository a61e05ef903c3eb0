package process

import "time"

// again is where this executable is started from once more.
func again(self string) string { return self }

func nameProcess() {}

// sweepAfter ends the leader and its group, which a supervisor left when it died.
func (c *child) sweepAfter(leader int, daemons []string, limit time.Duration) (strays, left int, alone []string) {
	if leader <= 0 {
		return 0, 0, nil // nothing was started
	}
	l := &child{pid: leader}
	l.signalGroup(sigKill)
	return l.sweep(daemons, limit)
}
