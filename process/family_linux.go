package process

import (
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// kin is what this process knows of its own children. The kernel keeps one such list for each process, which is why this
// one belongs to the package and not to a value of the caller's: a reaper of orphans must never take the status of a
// child that another goroutine waits for.
var kin family

// family holds the children that were started here and not yet reaped. All other children, but those of our own session,
// are orphans that we adopted.
type family struct {
	once   sync.Once
	mu     sync.Mutex
	direct map[int]*child
	doomed map[identity]*child // orphans that were sent SIGKILL, and for whom: a dying process has no environment any more
}

func (f *family) add(c *child) {
	if f.direct == nil {
		f.direct = make(map[int]*child)
	}
	f.direct[c.pid] = c
}

// Adopt prepares this process for starting runs, once; Run calls it, too. Whoever calls it first thing in main has what
// follows settled before other code opens files or asks for signals:
//   - Orphans among its descendants become its children instead of init's, so that they can be found.
//   - Descriptors above 2 that it inherited are not passed on.
//   - Signals that it inherited as ignored (SIGINT in a shell's background job, SIGHUP under nohup) are caught and
//     dropped instead, since an ignored signal stays ignored in every child. os/signal.Ignored answers for the
//     inherited state only before this call.
//   - SIGXFSZ and SIGPIPE are caught, so that a log beyond RLIMIT_FSIZE, and a reader of our output that went away, are
//     write errors and leave no run behind.
//
// A process that stands in for another program (Pass, Exec) must not call it: there, all of this is the program's own.
func Adopt() {
	kin.once.Do(func() {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
		keepDescriptors()
		dropped := make(chan os.Signal, 1) // never read: os/signal drops what does not fit
		signal.Notify(dropped, append(ignored(), syscall.SIGXFSZ, syscall.SIGPIPE)...)
	})
}

// keepDescriptors marks all inherited descriptors but the standard ones to be closed on exec.
func keepDescriptors() {
	if unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, n := range names {
		if fd, err := strconv.Atoi(n); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// ignored lists the signals that this process ignores, but for two that only the terminal sends: it sends them to no run,
// and to a process that catches them over and over.
func ignored() []os.Signal {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(data), "\nSigIgn:")
	line, _, _ := strings.Cut(rest, "\n")
	mask, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	if err != nil {
		return nil
	}
	var list []os.Signal
	for n := 1; n <= 64; n++ {
		if sig := syscall.Signal(n); mask&(1<<(n-1)) != 0 && sig != syscall.SIGTTIN && sig != syscall.SIGTTOU {
			list = append(list, sig)
		}
	}
	return list
}

// bury reaps the adopted children that have ended: init would do so at once, and a test that waits for its daemon's pid to
// disappear would wait for ever. Each is reaped by its own pid. kin.mu is held.
func (f *family) bury() {
	for _, pid := range children(os.Getpid()) {
		if f.direct[pid] == nil && over(pid) {
			f.orphan(pid)
		}
	}
}

// orphans lists the adopted children that are alive, and reaps those that are not. kin.mu is held.
func (f *family) orphans() (alive []proc) {
	for _, pid := range children(os.Getpid()) {
		if f.direct[pid] != nil {
			continue
		}
		if p, ok := f.orphan(pid); ok {
			alive = append(alive, p)
		}
	}
	return alive
}

// orphan looks at a child that was not started here: false when it is none of ours to end, or was reaped just now.
func (f *family) orphan(pid int) (proc, bool) {
	p, ok := readProc(pid)
	if !ok || p.ppid != os.Getpid() {
		return p, false
	}
	if session, err := unix.Getsid(0); err == nil && p.sid == session {
		return p, false // of a helper, or a child that code outside this package waits for
	}
	if p.dead() && reaped(pid) {
		delete(f.doomed, identity{p.pid, p.birth})
		return p, false
	}
	return p, true
}

// reaped reaps a child if it has ended: one that is about to end, thread by thread, still holds its own children.
func reaped(pid int) bool {
	got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	return got == pid || err == syscall.ECHILD
}

// owner tells which leader an orphan comes from. In a supervisor there is one. In the first half the leaders are the
// supervisors, and an orphan that came here lost one that has ended: of several the one whose mark it has in its
// environment, else the first. kin.mu is held.
func (f *family) owner(p proc) *child {
	if c := f.doomed[identity{p.pid, p.birth}]; c != nil {
		return c
	}
	var possible []*child
	for _, c := range f.direct {
		if c.relation == ownSession && c.birth <= p.birth && c.over() {
			possible = append(possible, c)
		}
	}
	if len(possible) > 1 {
		slices.SortFunc(possible, func(a, b *child) int { return a.pid - b.pid })
		if i := slices.IndexFunc(possible, func(c *child) bool { return p.marked(c.mark) }); i >= 0 {
			return possible[i]
		}
	}
	if len(possible) > 0 {
		return possible[0]
	}
	return nil
}

// doom notes that an orphan is ended for a leader. kin.mu is held.
func (f *family) doom(p proc, c *child) {
	if f.doomed == nil {
		f.doomed = make(map[identity]*child)
	}
	f.doomed[identity{p.pid, p.birth}] = c
}

// tree lists the living members of the tree below p, p included.
func tree(p proc) []proc {
	all := []proc{p}
	for i := 0; i < len(all); i++ {
		for _, pid := range children(all[i].pid) {
			kid, ok := readProc(pid)
			if ok && !kid.dead() && !slices.ContainsFunc(all, func(o proc) bool { return o.pid == pid }) {
				all = append(all, kid)
			}
		}
	}
	return all
}
