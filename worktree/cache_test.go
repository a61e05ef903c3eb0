package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestCacheDamaged: whatever is done to the cache file, the identity is the same.
func TestCacheDamaged(t *testing.T) {
	s := newSandbox(t)
	s.write("a", "x")
	s.write("d/b", "y")
	s.write("d/e/c", "z")
	file := s.at("../cache")
	cached := func(o *Options) { later(o); o.Cache = file }
	want := s.identify(cached).ID
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := readCache(file).files; n != 3 {
		t.Fatalf("%d files in the cache", n)
	}
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.identify(cached).ID; got != want {
			t.Errorf("%s: the ID changed", what)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != string(whole) {
			t.Errorf("%s: the cache was not written anew", what)
		}
	}
	for i := range whole {
		damaged := []byte(string(whole))
		damaged[i] ^= 0x41
		check(fmt.Sprint("byte ", i), damaged)
		check(fmt.Sprint("cut at ", i), whole[:i])
	}
	check("longer", append([]byte(string(whole)), 0))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := s.identify(cached).ID; got != want {
		t.Error("a folder in its place: the ID changed")
	}
}

// FuzzCache: a cache with a right checksum over anything at all neither panics nor claims much memory.
func FuzzCache(f *testing.F) {
	f.Add(encodeCache([]Entry{{Path: "a/b", keep: true}, {Path: "c", keep: true}})[len(cacheMagic):])
	f.Fuzz(func(t *testing.T, body []byte) {
		c := decodeCache(body)
		for folder := range c.folders {
			cur := c.cursor(folder)
			cur.find("a", &stat{})
			cur.find("zz", &stat{})
		}
	})
}

// TestCacheTrust: an entry counts only under exactly the stat fields it was read under.
func TestCacheTrust(t *testing.T) {
	base := stat{dev: 1, ino: 2, mode: 3, size: 4, mtime: 5, ctime: 6}
	e := Entry{Path: "a", Digest: [32]byte{1}, blob: [20]byte{2}, stat: base, keep: true}
	c := decodeCache(encodeCache([]Entry{e, {Path: "b", stat: base, keep: true}})[len(cacheMagic):])
	find := func(s stat) bool {
		cur := c.cursor("")
		got, ok := cur.find("a", &s)
		return ok && got.digest == e.Digest && got.blob == e.blob
	}
	if !find(base) {
		t.Error("the same fields are not found")
	}
	for i, change := range []func(*stat){
		func(s *stat) { s.dev++ }, func(s *stat) { s.ino++ }, func(s *stat) { s.mode++ },
		func(s *stat) { s.size++ }, func(s *stat) { s.mtime++ }, func(s *stat) { s.ctime++ },
	} {
		s := base
		change(&s)
		if find(s) {
			t.Errorf("field %d differs and the entry is trusted", i)
		}
	}
}

// TestCacheYoung: a file that changed less than two seconds before it was read is read again next time.
func TestCacheYoung(t *testing.T) {
	s := newSandbox(t)
	s.write("a", "x")
	s.write("old", "x")
	file := s.at("../cache")
	info, err := os.Stat(s.at("a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		kept  int
	}{{-time.Hour, 0}, {0, 0}, {1900 * time.Millisecond, 0}, {time.Minute, 2}} {
		os.Remove(file)
		s.identify(func(o *Options) { o.Cache, o.Now = file, func() time.Time { return info.ModTime().Add(c.after) } })
		if got := readCache(file).files; got != c.kept {
			t.Errorf("read %v after its change: %d kept, want %d", c.after, got, c.kept)
		}
	}
	// A time set into the future is never old enough, a time set into the past does not make it old.
	past := time.Now().Add(-time.Hour)
	os.Chtimes(s.at("a"), past, past)
	os.Remove(file)
	s.identify(func(o *Options) { o.Cache = file })
	if got := readCache(file).files; got != 0 {
		t.Errorf("%d kept with a time set back", got)
	}
}

// TestCacheDeep: Deep reads what the cache believes to know.
func TestCacheDeep(t *testing.T) {
	s := newSandbox(t)
	s.write("a", "x")
	file := s.at("../cache")
	cached := func(o *Options) { later(o); o.Cache = file }
	tree := s.identify(cached)
	want := tree.ID
	lie := tree.Entries[0]
	lie.Digest[0]++
	if err := writeCache(file, []Entry{lie}); err != nil {
		t.Fatal(err)
	}
	if s.identify(cached).ID == want {
		t.Error("the cache is not read")
	}
	if s.identify(cached, func(o *Options) { o.Deep = true }).ID != want {
		t.Error("Deep believes the cache")
	}
	if s.identify(cached).ID != want {
		t.Error("Deep did not put the cache right")
	}
}

// TestCacheUnchanged: nothing new, nothing written; and what is gone leaves the cache.
func TestCacheUnchanged(t *testing.T) {
	s := sample(t)
	file := s.at("../cache")
	cached := func(o *Options) { later(o); o.Cache = file }
	s.identify(cached)
	first, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	s.identify(cached)
	if second, err := os.Stat(file); err != nil || !os.SameFile(first, second) {
		t.Error("an unchanged tree writes the cache again")
	}
	n := readCache(file).files
	os.Remove(s.at("a.go"))
	s.identify(cached)
	if got := readCache(file).files; got != n-1 {
		t.Errorf("%d files in the cache, want %d", got, n-1)
	}
	if dir, err := os.ReadDir(s.at("..")); err != nil || len(dir) != 3 {
		t.Errorf("files beside the cache: %v", dir)
	}
}

// TestMoving: what changes while it is read is read again; what never rests is an error.
func TestMoving(t *testing.T) {
	s := newSandbox(t)
	s.write("a", "x")
	times := 0
	edit := func(limit int) func() time.Time {
		times = 0
		return func() time.Time { // the clock is read between opening a file and reading it
			if times++; times <= limit {
				s.write("a", fmt.Sprint("text ", times))
			}
			return time.Now()
		}
	}
	got := s.identify(func(o *Options) { o.Now = edit(2) })
	if want := s.identify(); got.ID != want.ID {
		t.Error("the identity is that of a state in between")
	}
	o := s.options()
	o.Now = edit(1000)
	if _, err := Identify(context.Background(), s.root, o); !errors.Is(err, errMoved) || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("error %v", err)
	}
	if times != attempts {
		t.Errorf("read %d times", times)
	}
}

// TestVanishing: a file that goes while the tree is listed is no error as long as some reading finds it at rest.
func TestVanishing(t *testing.T) {
	s := newSandbox(t)
	for i := range 50 {
		s.write(fmt.Sprintf("d%d/x", i), "x")
	}
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			old, fresh := s.at(fmt.Sprintf("d%d/x", i%50)), s.at(fmt.Sprintf("d%d/y", i%50))
			os.Rename(old, fresh)
			os.Rename(fresh, old)
		}
	}()
	for range 100 {
		tree, err := Identify(context.Background(), s.root, s.options())
		if err != nil {
			if !errors.Is(err, errMoved) {
				t.Errorf("error %v", err)
			}
			continue
		}
		if len(tree.Entries) < 49 {
			t.Errorf("%d entries", len(tree.Entries))
		}
	}
	close(stop)
	<-done
}

func TestCancelled(t *testing.T) {
	s := sample(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Identify(ctx, s.root, s.options()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
