package parsers

import (
	"strings"
	"time"

	"factgate/facts"
)

// brief is a kept case while the document is read: without pointers, and a fifth of the size that it has in the end, so
// that neither the garbage collector nor the making of the final list counts.
type brief struct {
	id       uint32 // where its id begins: the chunk and the byte in it
	size     uint32 // of the id
	name     uint32 // bytes at the end of the id
	suite    wordID
	file     wordID
	line     int32
	duration time.Duration
	full     uint32 // place in collector.full plus one, 0 for a case that passed and has no more to tell
	doubtful bool   // the duration
}

// chunks hold briefs and the bytes of their ids. Growing copies nothing.
type chunks struct {
	cases [][]brief
	texts []*strings.Builder
}

const (
	caseChunk = 1024
	textBits  = 16 // an id begins in the first 1<<textBits bytes of a chunk
)

// keepBrief keeps a case that passed, or counts it.
func (c *collector) keepBrief(b brief, id []byte) {
	if !c.room(facts.Passed, len(id)) {
		c.dropped.Add(&facts.Case{Status: facts.Passed})
		return
	}
	last := len(c.brief.texts) - 1
	if last < 0 || c.brief.texts[last].Len()+len(id) > c.brief.texts[last].Cap() || c.brief.texts[last].Len() >= 1<<textBits {
		t := new(strings.Builder)
		t.Grow(max(len(id), min(1<<textBits, 2<<10<<min(len(c.brief.texts), 10))))
		c.brief.texts = append(c.brief.texts, t)
		last++
	}
	t := c.brief.texts[last]
	b.id, b.size = uint32(last<<textBits|t.Len()), uint32(len(id))
	t.Write(id) // never fails
	c.brief.push(b)
}

// keepFull keeps any case, or counts it.
func (c *collector) keepFull(k facts.Case, doubtful bool) {
	if !c.room(k.Status, len(k.ID)+len(k.Reason)) {
		c.dropped.Add(&k)
		return
	}
	k.Failures = c.fit(k.Failures)
	c.full = append(c.full, k)
	c.brief.push(brief{full: uint32(len(c.full)), doubtful: doubtful})
}

func (k *chunks) push(b brief) {
	last := len(k.cases) - 1
	if last < 0 || len(k.cases[last]) == cap(k.cases[last]) {
		k.cases = append(k.cases, make([]brief, 0, min(caseChunk, 16<<min(len(k.cases), 10))))
		last++
	}
	k.cases[last] = append(k.cases[last], b)
}

// expand makes the final list of cases, in the order in which they were read.
func (c *collector) expand() {
	n := 0
	for _, part := range c.brief.cases {
		n += len(part)
	}
	if n == 0 {
		return
	}
	texts := make([]string, len(c.brief.texts))
	for i, t := range c.brief.texts {
		texts[i] = t.String()
	}
	c.res.Cases = make([]facts.Case, n)
	i := 0
	for p, part := range c.brief.cases {
		for _, b := range part {
			k := &c.res.Cases[i]
			i++
			if b.full > 0 {
				*k = c.full[b.full-1]
			} else {
				text := texts[b.id>>textBits]
				from := b.id & (1<<textBits - 1)
				k.ID = text[from : from+b.size]
				k.Name = k.ID[b.size-b.name:]
				k.Suite, k.File = c.list[b.suite], c.list[b.file]
				k.Line, k.Duration, k.Status = int(b.line), b.duration, facts.Passed
			}
			if b.doubtful && c.slow > 0 {
				k.Duration *= time.Duration(c.slow)
			}
		}
		c.brief.cases[p] = nil
	}
	c.full = nil
}

// repeated counts the values that were there before, and gives the place of the first of them.
func repeated(all []uint64) (n, first int) {
	size := 4
	for size < 2*len(all) {
		size *= 2
	}
	slots := make([]uint64, size) // 0 is a free one
	for at, h := range all {
		h = max(h, 1)
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
