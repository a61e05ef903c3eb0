//go:build linux

package process

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"factgate/facts"
)

// holds checks that an output's account of the log is true.
func holds(t *testing.T, out facts.Output, log string) {
	t.Helper()
	sum := sha256.Sum256([]byte(log))
	if out.Kept != int64(len(log)) || out.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the log has %d bytes and the digest %x; said is %+v", len(log), sum, out)
	}
}

func TestBothOutputsInOrder(t *testing.T) {
	var live bytes.Buffer
	exit, log := run(t, Spec{Argv: []string{"/bin/sh", "-c", "echo 1; echo 2 >&2; echo 3; echo 4 >&2; cat"}, Out: &live})
	if log != "1\n2\n3\n4\n" || live.String() != log || exit.Output.Bytes != 8 || exit.Output.Truncated {
		t.Errorf("log %q, live %q, %+v", log, live.String(), exit.Output)
	}
	holds(t, exit.Output, log)
}

func TestEveryByteIsKept(t *testing.T) {
	var all []byte
	for b := range 256 {
		all = append(all, bytes.Repeat([]byte{byte(b)}, 100)...)
	}
	file := filepath.Join(t.TempDir(), "bytes")
	if err := os.WriteFile(file, all, 0o600); err != nil {
		t.Fatal(err)
	}
	exit, log := run(t, Spec{Argv: []string{"/bin/cat", file}})
	if log != string(all) {
		t.Error("the log differs from what was printed")
	}
	holds(t, exit.Output, log)
}

func TestLongOutputIsCut(t *testing.T) {
	exit, log := run(t, Spec{Argv: []string{"/bin/sh", "-c", "echo first; head -c 5000000 /dev/zero; echo last"}, Head: 1000, Tail: 2000})
	holds(t, exit.Output, log)
	marker := fmt.Sprintf("\n[factgate: %d bytes are left out here]\n", 5000011-3000)
	if exit.Output.Bytes != 5000011 || !exit.Output.Truncated || len(log) != 3000+len(marker) ||
		!strings.HasPrefix(log, "first\n") || !strings.HasSuffix(log, "last\n") || log[1000:1000+len(marker)] != marker {
		t.Errorf("%d bytes, %+v", len(log), exit.Output)
	}
}

func TestSpoolKeepsAllUpToItself(t *testing.T) {
	for _, n := range []int{0, 1, 999, 5000, 5001, 90000} {
		exit, log := run(t, Spec{Argv: helper("print N", "N", fmt.Sprint(n)), Head: 10, Tail: 20, Spool: 5000})
		holds(t, exit.Output, log)
		if exit.Output.Bytes != int64(n) || exit.Output.Truncated != (n > 5000) || n <= 5000 && len(log) != n {
			t.Errorf("%d printed: %d kept, %+v", n, len(log), exit.Output)
		}
	}
}

func TestManyWriters(t *testing.T) {
	exit, _ := run(t, Spec{Argv: []string{"/bin/sh", "-c",
		`for i in 1 2 3 4 5 6 7 8; do yes 'a line of thirty-two characters.' | head -n 10000 & done; wait`}})
	same(t, exit, facts.Exit{})
	if exit.Output.Bytes != 8*10000*33 {
		t.Errorf("%d bytes", exit.Output.Bytes)
	}
}

// What is in the pipe when the program ends counts.
func TestLastWords(t *testing.T) {
	for range 50 {
		exit, log := run(t, Spec{Argv: []string{"/bin/sh", "-c", "head -c 60000 /dev/zero; echo last; kill -9 $$"}})
		if exit.Output.Bytes != 60005 || !strings.HasSuffix(log, "last\n") {
			t.Fatalf("%+v", exit)
		}
	}
}

func TestNoRoomForTheLog(t *testing.T) {
	for _, log := range []string{"/dev/full", "/no/such/folder/log"} {
		exit := Run(t.Context(), Spec{Self: executable(), Argv: helper("print 5000000 exit 6"), Env: os.Environ(), Log: log})
		if exit.Code != 6 || exit.Output.Bytes != 5000000 || exit.Output.Kept != 0 || !exit.Output.Truncated {
			t.Errorf("%s: %+v", log, exit)
		}
	}
}

func TestWithoutALog(t *testing.T) {
	exit := Run(t.Context(), Spec{Self: executable(), Argv: helper("print 5000000 exit 6"), Env: os.Environ()})
	if exit.Code != 6 || exit.Output != (facts.Output{Bytes: 5000000}) {
		t.Errorf("%+v", exit)
	}
}

type failing struct{ calls int }

func (f *failing) Write([]byte) (int, error) {
	f.calls++
	return 0, errors.New("closed")
}

func TestLiveCopyThatFails(t *testing.T) {
	out := &failing{}
	exit, log := run(t, Spec{Argv: helper("print 5000000 exit 6"), Out: out})
	if exit.Code != 6 || exit.Output.Bytes != 5000000 || out.calls != 1 {
		t.Errorf("%+v, %d calls", exit, out.calls)
	}
	holds(t, exit.Output, log)
}

type hanging struct{ until chan struct{} }

func (h hanging) Write(p []byte) (int, error) {
	<-h.until
	return len(p), nil
}

func TestLiveCopyThatHangs(t *testing.T) {
	out := hanging{make(chan struct{})}
	defer close(out.until)
	exit, log := run(t, Spec{Argv: helper("print 5000000 exit 6"), Out: out})
	if exit.Code != 6 || exit.Output.Bytes != 5000000 {
		t.Errorf("%+v", exit)
	}
	holds(t, exit.Output, log)
}

type slow struct{ n int }

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	s.n += len(p)
	return len(p), nil
}

func TestLiveCopyThatIsSlowGetsAll(t *testing.T) {
	out := &slow{}
	exit, _ := run(t, Spec{Argv: helper("print 5000000 exit 6"), Out: out})
	if exit.Code != 6 || out.n != 5000000 {
		t.Errorf("%+v, %d bytes", exit, out.n)
	}
}

// The ring against the obvious way to do it.
func TestRing(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 64} {
		r, all := ring{limit: limit}, []byte{}
		for i := range 200 {
			part := bytes.Repeat([]byte{byte(i)}, i*7%(limit+9))
			r.write(part)
			all = append(all, part...)
			if want := all[max(0, len(all)-limit):]; !bytes.Equal(r.bytes(), want) {
				t.Fatalf("limit %d, step %d: %v, want %v", limit, i, r.bytes(), want)
			}
		}
	}
}
