package process

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"

	"factgate/facts"
)

// Bytes of a log that are kept when the caller does not say.
const (
	defaultHead = 64 << 10
	defaultTail = 256 << 10
)

// capped is the log of one run. While it is not longer than spool it is whole, and can be read as it grows. A longer one
// is cut when it is closed: its first head bytes, one line that says how many bytes are left out, its last tail bytes.
// A disk that takes no more shortens the log and is no error: the program must not suffer from it.
type capped struct {
	path        string
	file        *os.File // nil: there is none, or it could not be opened
	head, spool int64
	total       int64     // bytes given to write
	stored      int64     // bytes in the file
	broken      bool      // a write failed
	whole       hash.Hash // of all that is stored
	begin       hash.Hash // of its first head bytes
	tail        ring
}

// openLog starts a log at path, over whatever is there. An empty path keeps none, and only counts.
func openLog(path string, head, tail, spool int64) *capped {
	if head <= 0 {
		head = defaultHead
	}
	if tail <= 0 {
		tail = defaultTail
	}
	l := &capped{path: path, head: head, spool: max(spool, head+tail), whole: sha256.New(), begin: sha256.New(), tail: ring{limit: int(tail)}}
	if path != "" {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err == nil {
			l.file = file
		}
	}
	return l
}

// write keeps or counts p. It cannot fail.
func (l *capped) write(p []byte) {
	l.total += int64(len(p))
	if l.file == nil {
		return
	}
	l.tail.write(p)
	if l.broken || l.stored >= l.spool {
		return
	}
	l.store(p[:min(int64(len(p)), l.spool-l.stored)])
}

// store appends to the file and to the hashes what of p the disk takes.
func (l *capped) store(p []byte) {
	n, err := l.file.Write(p)
	l.broken = err != nil
	p = p[:max(n, 0)]
	l.whole.Write(p)
	if room := l.head - l.stored; room > 0 {
		l.begin.Write(p[:min(room, int64(len(p)))])
	}
	l.stored += int64(len(p))
}

// close completes the log and says what it holds.
func (l *capped) close() facts.Output {
	out := facts.Output{Bytes: l.total}
	if l.path == "" {
		return out
	}
	if l.file == nil {
		out.Truncated = true
		return out
	}
	left := l.total - l.stored
	if left > 0 && l.stored > l.head && l.file.Truncate(l.head) == nil {
		left = l.cut()
	}
	err := l.file.Close()
	out.Truncated = left > 0 || l.broken || err != nil
	out.Kept, out.SHA256, out.Log = l.stored, hex.EncodeToString(l.whole.Sum(nil)), l.path
	return out
}

// cut puts the end of the output behind its first head bytes, which are all that the file holds now. It returns how many
// bytes are left out between them.
func (l *capped) cut() (left int64) {
	l.stored, l.whole, l.broken = l.head, l.begin, false
	l.begin = sha256.New() // of no more use
	end := l.tail.bytes()
	end = end[int64(len(end))-min(int64(len(end)), l.total-l.head):]
	left = l.total - l.head - int64(len(end))
	if _, err := l.file.Seek(l.head, io.SeekStart); err != nil {
		l.broken = true
		return left
	}
	if left > 0 {
		l.store(fmt.Appendf(nil, "\n[factgate: %d bytes are left out here]\n", left))
	}
	if !l.broken {
		l.store(end)
	}
	return left
}

// ring keeps the last limit bytes that were written to it.
type ring struct {
	limit int
	buf   []byte // grows to limit
	next  int    // where the oldest byte is, once it is full
}

func (r *ring) write(p []byte) {
	if len(p) >= r.limit {
		r.buf, r.next = append(r.buf[:0], p[len(p)-r.limit:]...), 0
		return
	}
	if room := r.limit - len(r.buf); room > 0 {
		n := min(room, len(p))
		r.buf, p = append(r.buf, p[:n]...), p[n:]
	}
	for len(p) > 0 {
		n := copy(r.buf[r.next:], p)
		r.next, p = (r.next+n)%r.limit, p[n:]
	}
}

// bytes returns what it holds, the oldest byte first.
func (r *ring) bytes() []byte {
	return append(append(make([]byte, 0, len(r.buf)), r.buf[r.next:]...), r.buf[:r.next]...)
}
