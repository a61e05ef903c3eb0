package process

import (
	"errors"
	"os"
	"time"
)

// source is the end of a pipe that we read.
type source struct{ *os.File }

// errQuit would say that interrupt ended the reading; here it closes the pipe.
var errQuit = errors.New("told to read no more")

// openPipe makes a pipe whose other end a program gets.
func openPipe() (*source, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return &source{r}, w, nil
}

func (s *source) read(buf []byte) (int, error) { return s.Read(buf) }

// readNow would read without waiting; a pipe of Windows is read to its end instead.
func (s *source) readNow([]byte) int { return 0 }

// interrupt gives a read the time to reach the end of the pipe, which is there when all that held it have ended, and then
// closes it.
func (s *source) interrupt(done <-chan struct{}, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		s.Close()
	}
}
