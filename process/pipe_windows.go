package process

import (
	"os"
	"time"
)

// interrupt gives a read of r the time to reach the end of the pipe, which is there when all that held it have ended,
// and then closes it.
func interrupt(r *os.File, done <-chan struct{}, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		r.Close()
	}
}

func readSoon(*os.File, []byte, time.Duration) int { return 0 }

// readNow would read without waiting; a pipe of Windows is read to its end instead.
func readNow(*os.File, []byte) int { return 0 }
