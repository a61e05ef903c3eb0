package parsers

import (
	"iter"
	"runtime/debug"
	"strings"
	"time"
	"unsafe"

	"factgate/facts"
)

// brief is a kept case while the document is read: without pointers, and a sixth of the size that it has in the end, so
// that neither the garbage collector nor the making of the final list counts.
type brief struct {
	duration time.Duration
	suite    wordID
	file     wordID
	line     int32
	size     uint16 // of its id, which is the next in the texts
	name     uint16 // bytes at the end of the id
	full     bool   // it is the next of collector.full: it did not pass, or has more to tell
	doubtful bool   // the duration
}

// list grows without copying what is in it, so that its memory is never twice its size.
type list[T any] struct {
	parts [][]T
	n     int
}

const (
	smallPart, fullPart = 16, 1024 // elements of the first part, and of any beyond some
	fullText            = 64 << 10 // bytes of a text of ids
	manyTexts           = 32 << 20 // bytes kept
)

func (l *list[T]) push(x T) {
	last := len(l.parts) - 1
	if last < 0 || len(l.parts[last]) == cap(l.parts[last]) {
		l.parts = append(l.parts, make([]T, 0, min(fullPart, smallPart<<min(len(l.parts), 10))))
		last++
	}
	l.parts[last] = append(l.parts[last], x)
	l.n++
}

// all gives the elements in order.
func (l *list[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, part := range l.parts {
			for i := range part {
				if !yield(&part[i]) {
					return
				}
			}
		}
	}
}

// keepBrief keeps a case that passed, or counts it.
func (c *collector) keepBrief(b brief, id []byte) {
	if !c.room(facts.Passed, len(id)) {
		c.dropped.Add(&facts.Case{Status: facts.Passed})
		return
	}
	last := len(c.names) - 1
	if last < 0 || c.names[last].Len()+len(id) > c.names[last].Cap() {
		t := new(strings.Builder)
		t.Grow(max(len(id), min(fullText, 2<<10<<min(len(c.names), 10))))
		c.names = append(c.names, t)
		last++
	}
	c.names[last].Write(id) // never fails
	b.size = uint16(len(id))
	c.brief.push(b)
}

// keepFull keeps any case, or counts it.
func (c *collector) keepFull(k facts.Case, doubtful bool) {
	if !c.room(k.Status, len(k.ID)+len(k.Reason)) {
		c.dropped.Add(&k)
		return
	}
	k.Failures = c.fit(k.Failures)
	c.full.push(k)
	c.brief.push(brief{full: true, doubtful: doubtful})
}

// expand makes the final list of cases, in the order in which they were read.
func (c *collector) expand() {
	if c.brief.n == 0 {
		return
	}
	text, rest := "", c.names
	next, stop := iter.Pull(c.full.all())
	defer stop()
	if c.identity+c.textBytes > manyTexts {
		debug.FreeOSMemory() // what lies about from reading so much is given back first
	}
	roomFor(c.brief.n * int(unsafe.Sizeof(facts.Case{})))
	c.res.Cases = make([]facts.Case, c.brief.n)
	i := 0
	for b := range c.brief.all() {
		k := &c.res.Cases[i]
		i++
		if b.full {
			if full, ok := next(); ok {
				*k = *full
			}
		} else {
			if text == "" {
				text, rest = rest[0].String(), rest[1:]
			}
			k.ID, text = text[:b.size], text[b.size:]
			k.Name = k.ID[b.size-b.name:]
			k.Suite, k.File = c.known[b.suite], c.known[b.file]
			k.Line, k.Duration, k.Status = int(b.line), b.duration, facts.Passed
		}
		if b.doubtful && c.slow > 0 {
			k.Duration *= time.Duration(c.slow)
		}
	}
	c.brief, c.full, c.names = list[brief]{}, list[facts.Case]{}, nil
}

// roomFor makes sure that the garbage collector does not begin when size bytes are taken next: it would read them before
// they are written, and make each write dear. It begins now, or not before they are full: what is taken here counts for it,
// and is no memory, since nothing touches it.
func roomFor(size int) {
	if size >= 1<<20 {
		new(strings.Builder).Grow(size + size/4)
	}
}

// repeated counts the values that were there before, and gives the place of the first of them.
func repeated(all *list[uint64]) (n, first int) {
	size := 4
	for 4*size < 5*all.n {
		size *= 2
	}
	slots := make([]uint64, size) // 0 is a free one
	at := -1
	for p := range all.all() {
		at++
		h := max(*p, 1)
		i := h & uint64(size-1)
		for slots[i] != 0 && slots[i] != h {
			i = (i + 1) & uint64(size-1)
		}
		if slots[i] == 0 {
			slots[i] = h
			continue
		}
		if n++; n == 1 {
			first = at
		}
	}
	return n, first
}
