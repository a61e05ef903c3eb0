// Command results measures what it costs to read JUnit files: our reader beside others, in CPU time and in memory, each
// in a process of its own, and prints one Markdown table.
//
//	results [-huge] [-dir DIR]    1, 10, 40 and 100 MB; with -huge 1 GB too
package main

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	junit "github.com/joshdk/go-junit"
	"github.com/orisano/gosax"

	"factgate/bench/results/gen"
	"factgate/facts"
	"factgate/parsers"
)

const mega = 1_000_000

// reader is one way to read a file.
type reader struct {
	name string
	most int64                             // size of the largest file that it is given; 0 is any
	read func(path string) (string, error) // in a process of ours: what it counted
	argv func(path string) []string        // or a program
}

func readers() []reader {
	return []reader{
		{name: "dd", argv: func(p string) []string { return []string{"dd", "if=" + p, "of=/dev/null", "bs=256k", "status=none"} }},
		{name: "Go bytes.IndexByte '<'", read: memchr},
		{name: "**ours, counts only**", read: count},
		{name: "**ours, every case kept**", most: 40 * mega, read: keep},
		{name: "ours, the first 200,000 cases kept", read: keep},
		{name: "orisano/gosax 1.1.4", read: sax},
		{name: "encoding/xml Token", most: 100 * mega, read: tokens},
		{name: "joshdk/go-junit 1.0.0", most: 100 * mega, read: goJUnit},
		{name: "expat (Python pyexpat)", argv: python(expatScript)},
		{name: "xmllint --stream", argv: func(p string) []string { return []string{"xmllint", "--stream", "--huge", "--noout", p} }},
		{name: "junitparser (Python)", most: 100 * mega, argv: python(junitparserScript)},
	}
}

const expatScript = `import sys, xml.parsers.expat as e
p = e.ParserCreate()
n = [0]
def start(name, attrs):
    if name == "testcase": n[0] += 1
p.StartElementHandler = start
p.ParseFile(open(sys.argv[1], "rb"))
`

const junitparserScript = `import sys
from junitparser import JUnitXml
n = 0
for suite in JUnitXml.fromfile(sys.argv[1]):
    for case in suite:
        n += 1
        case.is_passed
`

func python(script string) func(string) []string {
	return func(p string) []string { return []string{"python3", "-c", script, p} }
}

func memchr(path string) (string, error) {
	n := 0
	err := windows(path, func(b []byte) {
		for {
			i := bytes.IndexByte(b, '<')
			if i < 0 {
				return
			}
			n++
			b = b[i+1:]
		}
	})
	return fmt.Sprint(n), err
}

func windows(path string, f func([]byte)) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	buf := make([]byte, 256<<10)
	for {
		n, err := in.Read(buf)
		f(buf[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func count(path string) (string, error) {
	return ours(path, func(r io.Reader) (facts.Results, error) { return parsers.Count("junit", r) })
}

func keep(path string) (string, error) { return ours(path, parsers.JUnit) }

func ours(path string, parse parsers.Parser) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	got, err := parse(in)
	runtime.KeepAlive(got)
	return fmt.Sprint(got.Counts.Cases), err
}

func sax(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	n := 0
	r := gosax.NewReader(in)
	for {
		e, err := r.Event()
		if err != nil {
			return "", err
		}
		switch e.Type() {
		case gosax.EventEOF:
			return fmt.Sprint(n), nil
		case gosax.EventStart:
			if name, _ := gosax.Name(e.Bytes); string(name) == "testcase" {
				n++
			}
		}
	}
}

func tokens(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	n := 0
	d := xml.NewDecoder(in)
	for {
		t, err := d.Token()
		if err == io.EOF {
			return fmt.Sprint(n), nil
		}
		if err != nil {
			return "", err
		}
		if s, ok := t.(xml.StartElement); ok && s.Name.Local == "testcase" {
			n++
		}
	}
}

func goJUnit(path string) (string, error) {
	suites, err := junit.IngestFile(path)
	n := 0
	for _, s := range suites {
		s.Aggregate()
		n += s.Totals.Tests
	}
	return fmt.Sprint(n), err
}

func main() {
	huge := flag.Bool("huge", false, "measure 1 GB too")
	dir := flag.String("dir", "", "keep the files in `DIR` and use those that are there")
	only := flag.String("only", "", "measure only readers whose name has this `WORD`")
	child := flag.String("child", "", "") // of ourselves: the reader that is measured
	times := flag.Int("times", 1, "")
	flag.Parse()
	if err := run(*huge, *dir, *only, *child, *times); err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}

func run(huge bool, dir, only, child string, times int) error {
	if child != "" {
		return measureHere(child, flag.Arg(0), times)
	}
	if dir == "" {
		tmp, err := os.MkdirTemp("", "results")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	sizes := []int64{1, 10, 40, 100}
	if huge {
		sizes = append(sizes, 1000)
	}
	fmt.Println("| MB | reader | CPU ms per MB | MB/s | against go-junit | against encoding/xml | peak memory, MB |")
	fmt.Println("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
	base := map[string]float64{}
	for _, size := range sizes {
		path := filepath.Join(dir, fmt.Sprintf("%d.xml", size))
		if err := generate(path, size*mega); err != nil {
			return err
		}
		if err := table(path, size, only, base); err != nil {
			return err
		}
	}
	return nil
}

func generate(path string, size int64) error {
	if info, err := os.Stat(path); err == nil && info.Size() >= size {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = gen.Write(f, size)
	return errors.Join(err, f.Close())
}

// table prints the rows of one file. base keeps what others are compared with, of the largest file that they read.
func table(path string, size int64, only string, base map[string]float64) error {
	type row struct {
		name      string
		cpu, peak float64
	}
	var rows []row
	for _, r := range readers() {
		if r.most > 0 && size*mega > r.most || !strings.Contains(r.name, only) {
			continue
		}
		cpu, peak, err := measure(r, path, size)
		if err != nil {
			fmt.Fprintf(os.Stderr, "results: %s is left out: %v\n", r.name, err)
			continue
		}
		rows = append(rows, row{r.name, cpu, peak})
		base[r.name] = cpu
	}
	for _, r := range rows {
		against := func(name string) string {
			b, ok := base[name]
			if !ok {
				return ""
			}
			return fmt.Sprintf("%.1f", b/r.cpu)
		}
		fmt.Printf("| %d | %s | %.3f | %.0f | %s | %s | %.0f |\n", size, r.name, r.cpu, 1000/r.cpu,
			against("joshdk/go-junit 1.0.0"), against("encoding/xml Token"), r.peak)
	}
	return nil
}

// measure gives the CPU time in ms per MB, the best of some runs, and the peak memory in MB.
func measure(r reader, path string, size int64) (cpu, peak float64, err error) {
	runs, times := 5, 1
	if size >= 1000 {
		runs = 2
	}
	if r.read != nil && size < 100 {
		times = int(max(1, 20/size))
	}
	for i := range runs {
		var c, p float64
		if r.read != nil {
			n := times
			if i == 0 {
				n = 1 // what one reading takes
			}
			if c, p, err = ourselves(r.name, path, n); i > 0 {
				p = 0
			}
		} else {
			c, p, err = program(r.argv(path))
		}
		if err != nil {
			return 0, 0, err
		}
		c /= float64(size)
		cpu, peak = cmp.Or(min(cmp.Or(cpu, c), c), c), max(peak, p)
	}
	return cpu, peak, nil
}

// ourselves starts this program again: one reader, one file. It tells what it used itself, without its own start.
func ourselves(name, path string, times int) (cpu, peak float64, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	out, err := exec.Command(self, "-child", name, "-times", strconv.Itoa(times), path).Output()
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(string(out), &cpu, &peak)
	return cpu, peak, err
}

func program(argv []string) (cpu, peak float64, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Run(); err != nil {
		return 0, 0, err
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return ms(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()), float64(u.Maxrss) / 1000, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// measureHere reads the file and prints the CPU time of one reading in ms and the peak memory in MB.
func measureHere(name, path string, times int) error {
	for _, r := range readers() {
		if r.name != name || r.read == nil {
			continue
		}
		before := used()
		for range times {
			if _, err := r.read(path); err != nil {
				return err
			}
		}
		fmt.Println(ms(used()-before)/float64(times), peakMB())
		return nil
	}
	return fmt.Errorf("no reader %q", name)
}

func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMB reads the high-water mark of this process's own memory: that of getrusage may be its parent's.
func peakMB() float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	var kb float64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		return 0
	}
	return kb / 1000
}
