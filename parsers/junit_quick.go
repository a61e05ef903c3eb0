package parsers

import (
	"bytes"

	"factgate/facts"
)

// quick reads the next case where it is what nearly all are: <testcase …/> directly in a suite, of usual attributes and
// whole in the window. It passed then. Of anything else nothing is consumed.
func (d *junitDoc) quick() bool {
	if len(d.stack) == 0 || d.over > 0 {
		return false
	}
	s := d.stack[len(d.stack)-1].suite
	if s == nil || !d.scan.blank() {
		return false
	}
	p := d.scan.buf[d.scan.i:d.scan.n]
	const start = "<testcase "
	if len(p) <= len(start) || string(p[:len(start)]) != start {
		return false
	}
	var a caseAttrs
	n := a.quick(p[len(start):], d.lim.value)
	if n == 0 || d.silentFile(a) {
		return false
	}
	at := d.scan.offset()
	s.own.cases++
	s.own.passed++
	if d.lim.counts || d.good >= d.lim.cases {
		d.time(a.time, at)
		if d.passes++; !d.lim.counts {
			d.collector.room(facts.Passed, 0) // says that there is none
		}
		d.counted(s, a)
		d.scan.i += len(start) + n
		return true
	}
	k := d.spare
	if k == nil {
		k = new(junitCase)
		d.spare = k
	}
	k.id = k.id[:0]
	d.describe(k, a, at)
	d.print(k.print)
	if k.isBrief() {
		d.keepBrief(k.brief(), k.id)
	} else {
		d.keepFull(facts.Case{
			ID: string(k.id), Name: k.name, Suite: d.known[k.suite], File: d.known[k.file], Line: k.line, Status: facts.Passed, Duration: k.duration,
		}, k.doubtful)
	}
	d.scan.i += len(start) + n
	return true
}

// quick reads the attributes of a case up to "/>", of which it gives the end; 0 for any other tag.
func (a *caseAttrs) quick(p []byte, longest int) int {
	for j := 0; len(p)-j > len(`classname="`); {
		var to *[]byte
		switch q := p[j : j+11]; q[0] {
		case ' ':
			j++
			continue
		case '/':
			if q[1] == '>' {
				return j + 2
			}
			return 0
		case 'n':
			if string(q[:6]) != `name="` {
				return 0
			}
			j, to = j+6, &a.name
		case 'c':
			if string(q) != `classname="` {
				return 0
			}
			j, to = j+11, &a.class
		case 't':
			if string(q[:6]) != `time="` {
				return 0
			}
			j, to = j+6, &a.time
		case 'f':
			if string(q[:6]) != `file="` {
				return 0
			}
			j, to = j+6, &a.file
		case 'l':
			if string(q[:6]) != `line="` {
				return 0
			}
			j, to = j+6, &a.line
		default:
			return 0
		}
		k := bytes.IndexByte(p[j:], '"')
		if k < 0 || k > longest || *to != nil || j+k+1 >= len(p) {
			return 0
		}
		*to = p[j : j+k]
		if j += k + 1; p[j] != ' ' && p[j] != '/' {
			return 0
		}
	}
	return 0
}
