package parsers

import (
	"bytes"
	"io"
)

// lineWindow is how much of a stream is held at once.
const lineWindow = 128 << 10

// lines reads a stream line by line with a stated limit. A JSON string longer than limits.value is cut on the way, with
// a digest of what is left out, so that one endless output line neither fills the memory nor loses its event. A line in
// which nothing can be that long is given out of the window, without a copy.
type lines struct {
	src  io.Reader
	buf  []byte // the window
	i, n int    // where in it what was not given out begins and ends
	done bool   // there is nothing below
	read int64  // offset of buf[i] in the file

	r      *shorten
	direct int    // the longest line that is given out of the window
	out    []byte // a longer one
	lim    int

	at    int64 // offset of the line in the file
	long  bool  // the line was longer than the limit: what was read is its beginning
	whole bool  // it ended with a line end
}

func newLines(r io.Reader, lim limits) *lines {
	return &lines{
		src: r, buf: make([]byte, lineWindow), r: &shorten{max: lim.value}, lim: lim.line,
		direct: min(lim.value, lim.line, lineWindow/2),
	}
}

// next gives the next line without its end, false behind the last. The slice is good until the next call.
func (l *lines) next() ([]byte, bool) {
	l.at, l.long, l.whole = l.read, false, false
	for seen := 0; ; {
		b := l.buf[l.i:l.n]
		k := bytes.IndexByte(b[seen:], '\n') + seen
		l.whole = k >= seen
		if !l.whole {
			k = len(b)
		}
		switch {
		case k > l.direct:
			return l.pieces()
		case l.whole:
			l.drop(k + 1)
			return withoutReturn(b[:k]), true
		case l.done:
			l.drop(k)
			return b, k > 0
		}
		seen = k
		l.fill()
	}
}

// pieces puts a line together that is too long to be given out of the window.
func (l *lines) pieces() ([]byte, bool) {
	l.out = l.out[:0]
	for {
		b := l.buf[l.i:l.n]
		k := bytes.IndexByte(b, '\n') + 1
		if l.whole = k > 0; l.whole {
			b = b[:k]
		}
		l.out = l.r.pass(l.out, b)
		l.drop(len(b))
		if l.whole {
			l.out = l.out[:len(l.out)-1]
		}
		if len(l.out) > l.lim {
			l.out, l.long = l.out[:l.lim], true
		}
		if l.whole {
			return withoutReturn(l.out), true
		}
		if l.done {
			return l.out, len(l.out) > 0
		}
		l.fill()
	}
}

// drop marks n bytes of the window as given out.
func (l *lines) drop(n int) {
	l.i += n
	l.read += int64(n)
}

// fill reads more behind what the window still holds, which is never all of it.
func (l *lines) fill() {
	l.n = copy(l.buf, l.buf[l.i:l.n])
	l.i = 0
	n, err := l.src.Read(l.buf[l.n:])
	l.n += n
	l.done = err != nil
}

func withoutReturn(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\r' {
		return b[:n-1]
	}
	return b
}
