package record

import (
	"fmt"
	"os"
	"time"
)

// Claim says that this process runs a key now, so that two verifies of one key do the work once. held is false when
// another process has the claim: wait, look the key up again, and claim again. An error means that nobody can tell: do
// the work all the same, and say so. release may be called in every case, and more than once.
//
// A lock on a network folder can hang, so the system is asked beside us and given up after ten seconds.
func (s *Store) Claim(key string) (release func(), held bool, err error) {
	none := func() {}
	if !isWord(key) {
		return none, false, &FormatError{fmt.Sprintf("key %q", key)}
	}
	dir := s.path("locks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return none, false, &WriteError{dir, err}
	}
	path := s.path("locks", key)

	type answer struct {
		file *os.File
		held bool
		err  error
	}
	done, late := make(chan answer), make(chan struct{})
	go func() {
		a := answer{}
		if a.file, a.err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); a.err == nil {
			a.held, a.err = s.flock(a.file)
		}
		select {
		case done <- a:
		case <-late: // nobody waits any more: let the lock go
			closeFile(a.file)
		}
	}()
	watchdog := time.NewTimer(s.wait)
	defer watchdog.Stop()
	select {
	case a := <-done:
		if a.err != nil || !a.held {
			closeFile(a.file)
			return none, false, wrapLock(path, a.err)
		}
		return func() { a.file.Close() }, true, nil
	case <-watchdog.C:
		close(late)
		return none, false, fmt.Errorf("lock %s: no answer within %s", path, s.wait)
	}
}

func wrapLock(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("lock %s: %w", path, err)
}

func closeFile(f *os.File) {
	if f != nil {
		f.Close()
	}
}
