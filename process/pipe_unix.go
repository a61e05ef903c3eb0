//go:build linux || darwin

package process

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// source is the end of a pipe that we read. Neither end is known to the runtime's poller: it would be woken at each write
// of a flood, and take a whole processor for nothing.
type source struct {
	*os.File
	quitR, quitW *os.File // the latter is closed to end a wait
	quit         atomic.Bool
}

// errQuit says that interrupt ended the reading.
var errQuit = errors.New("told to read no more")

// openPipe makes a pipe whose other end a program gets.
func openPipe() (*source, *os.File, error) {
	r, w, err := plainPipe()
	if err != nil {
		return nil, nil, err
	}
	s := &source{File: r}
	if s.quitR, s.quitW, err = plainPipe(); err == nil {
		err = withFD(r, func(fd int) error { return unix.SetNonblock(fd, true) })
	}
	if err != nil {
		s.Close()
		w.Close()
		return nil, nil, err
	}
	return s, w, nil
}

// plainPipe is os.Pipe without the poller.
func plainPipe() (r, w *os.File, err error) {
	var ends [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(ends[:]); err != nil {
		return nil, nil, os.NewSyscallError("pipe", err)
	}
	unix.CloseOnExec(ends[0])
	unix.CloseOnExec(ends[1])
	return os.NewFile(uintptr(ends[0]), "|0"), os.NewFile(uintptr(ends[1]), "|1"), nil
}

// withFD calls a function with the descriptor of an open file.
func withFD(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil {
		return err
	}
	return failed
}

// Close closes it, and may be called more than once.
func (s *source) Close() error {
	for _, f := range []*os.File{s.quitR, s.quitW} {
		if f != nil {
			f.Close()
		}
	}
	return s.File.Close()
}

// read waits for something to read; io.EOF at the end of the pipe, errQuit after interrupt.
func (s *source) read(buf []byte) (n int, err error) {
	for {
		if s.quit.Load() {
			return 0, errQuit
		}
		err = withFD(s.File, func(fd int) (err error) {
			n, err = unix.Read(fd, buf)
			return err
		})
		switch {
		case err == nil && n == 0:
			return 0, io.EOF
		case err == unix.EAGAIN:
			err = s.wait()
		}
		if err != unix.EINTR && (err != nil || n > 0) {
			return max(n, 0), err
		}
	}
}

// wait returns when there is something to read, or after interrupt.
func (s *source) wait() error {
	return withFD(s.quitR, func(quit int) error {
		return withFD(s.File, func(fd int) error {
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(quit), Events: unix.POLLIN}}
			_, err := unix.Poll(fds, -1)
			return err
		})
	})
}

// readNow reads what is there without waiting; 0 or less when there is nothing.
func (s *source) readNow(buf []byte) (n int) {
	err := withFD(s.File, func(fd int) (err error) {
		for {
			if n, err = unix.Read(fd, buf); err != unix.EINTR {
				return err
			}
		}
	})
	if err != nil {
		return 0
	}
	return n
}

// interrupt ends a read that waits, and all after it.
func (s *source) interrupt(<-chan struct{}, time.Duration) {
	s.quit.Store(true)
	s.quitW.Close()
}
