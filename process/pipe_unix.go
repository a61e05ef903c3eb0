//go:build linux || darwin

package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// interrupt makes a blocked read of r return with os.ErrDeadlineExceeded.
func interrupt(r *os.File, _ <-chan struct{}, _ time.Duration) {
	_ = r.SetReadDeadline(time.Unix(1, 0))
}

// readSoon reads what is there or comes soon; 0 or less when nothing does.
func readSoon(r *os.File, buf []byte, limit time.Duration) (n int) {
	if n = readNow(r, buf); n >= 0 {
		return n
	}
	raw, err := r.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(limit.Milliseconds()))
	})
	return readNow(r, buf)
}

// readNow reads what is there without waiting, past a read deadline; 0 or less when there is nothing.
func readNow(r *os.File, buf []byte) (n int) {
	raw, err := r.SyscallConn()
	if err != nil {
		return 0
	}
	if raw.Control(func(fd uintptr) {
		for {
			if n, err = unix.Read(int(fd), buf); err != unix.EINTR {
				return
			}
		}
	}) != nil {
		return 0
	}
	return n
}
