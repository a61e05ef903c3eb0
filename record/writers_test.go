package record

import (
	"bufio"
	"math/rand"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

func TestManyWriters(t *testing.T) {
	s := newStore(t)
	const writers, each = 8, 12
	var wg sync.WaitGroup
	for w := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			own, err := OpenStore(s.Dir()) // as another process would
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				if _, err := own.Append(sample(w*each + i)); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	list, err := s.List("repo", 0)
	if err != nil || len(list) != writers*each || list[0].Chain.Position != writers*each {
		t.Errorf("%d runs, %v", len(list), err)
	}
	sound(t, s)
}

// TestFoundAhead: a place in the chain that was looked up before a run is taken only when it is still free at its end.
func TestFoundAhead(t *testing.T) {
	s := newStore(t)
	other, err := OpenStore(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	want := int64(0)
	appended := func(to *Store, r Record) {
		t.Helper()
		want++
		kept, err := to.Append(r)
		if err != nil || kept.Chain.Position != want {
			t.Fatalf("position %d, want %d: %v", kept.Chain.Position, want, err)
		}
	}
	s.Ready("repo") // nothing is there yet
	appended(s, sample(0))
	s.Ready("repo")
	appended(other, sample(1)) // meanwhile
	appended(s, sample(2))
	s.Ready("repo")
	appended(s, sample(3))
	appended(s, sample(4)) // the place was good for one
	s.Ready("repo")
	if kept, err := s.Append(sample(5, chain("another"))); err != nil || kept.Chain.Position != 1 || kept.Chain.Previous != "" {
		t.Fatalf("in another chain: %+v, %v", kept.Chain, err)
	}
	appended(s, sample(6))
	s.Ready("no/word")
	appended(s, sample(7))
	sound(t, s)
}

func startAppender(t *testing.T, dir, number string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RECORD_TEST_APPEND="+dir, "RECORD_TEST_NUMBER="+number)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func TestManyProcesses(t *testing.T) {
	s := newStore(t)
	var cmds []*exec.Cmd
	var outs []*bufio.Scanner
	for range 4 {
		cmd, out := startAppender(t, s.Dir(), "10")
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	for i, cmd := range cmds {
		for outs[i].Scan() {
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if list, err := s.List("repo", 0); err != nil || len(list) != 40 {
		t.Errorf("%d runs, %v", len(list), err)
	}
	sound(t, s)
}

// TestKill: writers that are killed at any moment leave no record that cannot be read, lose none that was told, and the
// chain goes on.
func TestKill(t *testing.T) {
	s := newStore(t)
	random := rand.New(rand.NewSource(1))
	var told []string
	for range 12 {
		cmd, out := startAppender(t, s.Dir(), "1000000")
		for range 1 + random.Intn(3) {
			if out.Scan() {
				told = append(told, out.Text())
			}
		}
		wait := time.NewTimer(time.Duration(random.Intn(3000)) * time.Microsecond) // into the middle of the next one
		<-wait.C
		cmd.Process.Kill()
		for out.Scan() {
			told = append(told, out.Text())
		}
		cmd.Wait()
	}
	appendTo(t, s, sample(1<<20, key("last"))) // completes what the last one left
	for _, id := range told {
		if _, err := s.Get(id); err != nil {
			t.Errorf("told and lost: %v", err)
		}
	}
	sound(t, s)
}
