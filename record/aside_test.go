package record

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAsides: what a killed run moved away is found by its root, byte for byte in its name, and is never cleaned away.
func TestAsides(t *testing.T) {
	s := newStore(t)
	var dirs []string
	for i := range 3 {
		dir, err := s.RunDir(id(i))
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	name := "out/\xff.xml"
	for i, root := range []string{"/here", "/there"} {
		if err := s.SetAside(Aside{ID: id(i), PID: 1, Root: root, Check: "api", Names: [][]byte{[]byte(name)}}); err != nil {
			t.Fatal(err)
		}
	}
	list := s.Asides("/here", dead)
	if len(list) != 1 || list[0].ID != id(0) || string(list[0].Names[0]) != name || list[0].Place(0) != filepath.Join(dirs[0], "aside-0") {
		t.Fatalf("%+v", list)
	}
	if list := s.Asides("/here", func(int, string, string) bool { return true }); len(list) != 0 {
		t.Errorf("of a run that goes on: %+v", list)
	}
	if err := os.WriteFile(list[0].Place(0), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(1000 * time.Hour)
	if swept := s.litter(long, dead); swept.Litter != 2 { // one moved nothing away, one put all back
		t.Errorf("%+v", swept)
	}
	if data, err := os.ReadFile(list[0].Place(0)); err != nil || string(data) != "mine" {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.Remove(list[0].Place(0)); err != nil {
		t.Fatal(err)
	}
	if swept := s.litter(long, dead); swept.Litter != 1 {
		t.Errorf("when nothing is left of it: %+v", swept)
	}
}
