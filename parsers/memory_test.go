package parsers

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// endless writes lines until their bytes reach left, and notes the most memory that was in use meanwhile.
type endless struct {
	line func(i int) string
	i    int
	rest string
	left int
	next int // the memory is looked at when left is below it
	peak uint64
}

const lookEvery = 4 << 20

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	if e.left < e.next {
		e.next = e.left - lookEvery
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		e.peak = max(e.peak, m.HeapAlloc)
	}
	n := 0
	for n < len(p) {
		if e.rest == "" {
			e.rest = e.line(e.i)
			e.i++
		}
		k := copy(p[n:], e.rest)
		e.rest = e.rest[k:]
		n += k
	}
	e.left -= n
	return n, nil
}

// TestGoMemory: whatever a stream does without end, what is held stays below the caps.
func TestGoMemory(t *testing.T) {
	const mb = 1 << 20
	lim := standard()
	lim.cases, lim.bad, lim.identity, lim.texts, lim.live, lim.running, lim.outside = 10_000, 2000, 2*mb, 2*mb, 2*mb, 2*mb, 100
	long := strings.Repeat("0123456789abcdef", 200)
	for _, c := range []struct {
		name string
		line func(i int) string
	}{
		{"passed tests", func(i int) string {
			return fmt.Sprintf(`{"Action":"run","Package":"p","Test":"T%d"}`+"\n"+`{"Action":"pass","Package":"p","Test":"T%[1]d"}`+"\n", i)
		}},
		{"failed tests", func(i int) string {
			return fmt.Sprintf(`{"Action":"run","Package":"p","Test":"T%d"}`+"\n"+`{"Action":"output","Package":"p","Test":"T%[1]d","Output":"%s"}`+"\n"+`{"Action":"fail","Package":"p","Test":"T%[1]d"}`+"\n", i, long)
		}},
		{"tests that do not end", func(i int) string { return fmt.Sprintf(`{"Action":"run","Package":"p","Test":"T%d"}`+"\n", i) }},
		{"tests that end late", func(i int) string {
			return fmt.Sprintf(`{"Action":"run","Package":"p","Test":"T%d"}`+"\n"+`{"Action":"pass","Package":"p","Test":"T%d"}`+"\n", i, i-100)
		}},
		{"tests of long names", func(i int) string { return fmt.Sprintf(`{"Action":"run","Package":"p","Test":"T%s%d"}`+"\n", long, i) }},
		{"packages that do not end", func(i int) string { return fmt.Sprintf(`{"Action":"start","Package":"%s%d"}`+"\n", long, i) }},
		{"packages that end", func(i int) string {
			return fmt.Sprintf(`{"Action":"run","Package":"%s%d","Test":"T"}`+"\n"+`{"Action":"fail","Package":"%[1]s%[2]d","Test":"T"}`+"\n"+`{"Action":"fail","Package":"%[1]s%[2]d"}`+"\n", long, i)
		}},
		{"packages of short names that end", func(i int) string {
			return fmt.Sprintf(`{"Action":"start","Package":"p%d"}`+"\n"+`{"Action":"fail","Package":"p%[1]d"}`+"\n", i)
		}},
		{"builds of short names", func(i int) string { return fmt.Sprintf(`{"ImportPath":"p%d","Action":"build-fail"}`+"\n", i) }},
		{"output of many at once", func(i int) string {
			return fmt.Sprintf(`{"Action":"run","Package":"p%d","Test":"T"}`+"\n"+`{"Action":"output","Package":"p%[1]d","Test":"T","Output":"%s"}`+"\n"+`{"Action":"output","Package":"p%[1]d","Output":"%[2]s"}`+"\n", i, long)
		}},
		{"builds", func(i int) string {
			return fmt.Sprintf(`{"Action":"build-output","ImportPath":"p%d","Output":"%s"}`+"\n"+`{"Action":"build-fail","ImportPath":"p%[1]d"}`+"\n"+`{"Action":"fail","Package":"p%[1]d","FailedBuild":"p%[1]d"}`+"\n", i, long)
		}},
		{"text", func(i int) string { return fmt.Sprintf("FAIL\t%s%d\n", long, i) }},
		{"one line", func(int) string { return long }},
		{"one string", func(i int) string {
			if i == 0 {
				return `{"Output":"`
			}
			return long
		}},
	} {
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		e := &endless{line: c.line, left: 16 * mb, next: 16 * mb}
		r, err := goTestJSON(e, lim)
		if err != nil || green(r) {
			t.Errorf("%s: %v %+v", c.name, err, r.Counts)
		}
		if grown := int(e.peak) - int(before.HeapAlloc); grown > 12*mb {
			t.Errorf("%s: %d MB were held", c.name, grown/mb)
		} else {
			t.Logf("%s: %d KB", c.name, grown>>10)
		}
	}
}
