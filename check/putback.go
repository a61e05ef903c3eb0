package check

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"factgate/config"
	"factgate/process"
	"factgate/record"
)

// setAside writes down what a run is about to move aside. Without a store nobody would look for it.
func (v *verify) setAside(c config.Check, id string) func(names []string) error {
	return func(names []string) error {
		if v.Store == nil {
			return nil
		}
		a := record.Aside{ID: id, Root: v.Config.Root, Check: c.Name}
		a.PID, a.Start, a.Boot = process.Self()
		a.Lock, _ = v.placeLock(c)
		for _, name := range names {
			a.Names = append(a.Names, []byte(name))
		}
		return v.Store.SetAside(a)
	}
}

// putBack puts back what killed runs had moved aside, before the tree is read, and notes it with their checks. While
// another run has its results in that place it waits for a later verify: the files would be taken for that run's.
func (v *verify) putBack() {
	if v.Store == nil || len(v.order) == 0 {
		return
	}
	v.back = map[string][]string{}
	for _, a := range v.Store.Asides(v.Config.Root, alive) {
		release, held, err := v.Store.Claim(a.Lock)
		if !held && (err == nil || v.atWork()) {
			continue
		}
		name := a.Check
		if v.jobs[name] == nil {
			name = v.order[0].check.Name
		}
		v.back[name] = append(v.back[name], v.putAllBack(a)...)
		release()
	}
}

// atWork reports whether any run of this repository goes on.
func (v *verify) atWork() bool {
	marks, err := v.Store.Marks(alive)
	for _, m := range marks {
		if !m.Interrupted && m.Chain == v.Chain {
			return true
		}
	}
	return err != nil
}

// putAllBack puts back what one run had moved. Where something lies in a file's place the file is kept, and told of once.
func (v *verify) putAllBack(a record.Aside) (notes []string) {
	left := false
	for i, b := range a.Names {
		name, from := string(b), a.Place(i)
		if !exists(from) || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		err := putIn(from, filepath.Join(v.Config.Root, filepath.FromSlash(name)))
		if err == nil {
			notes = append(notes, name+" was put back: it had been moved aside by a run that was killed")
			continue
		}
		left = true
		why := fmt.Sprint(cause(err))
		if errors.Is(err, fs.ErrExist) {
			why = "another file lies in its place"
		}
		if !a.Told {
			notes = append(notes, fmt.Sprintf("%s was not put back, since %s: it had been moved aside by a run that was killed, and is %s", name, why, from))
		}
	}
	if !left {
		removeAll(a.Dir)
	} else if !a.Told {
		a.Told = true
		_ = v.Store.SetAside(a) // or it is told again
	}
	return notes
}

// putIn moves a file to where nothing lies, or where a copy of it does.
func putIn(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	err := os.Link(from, to) // unlike a rename it overwrites nothing
	if err != nil && !errors.Is(err, fs.ErrExist) {
		info, looked := os.Lstat(from)
		if looked != nil || !info.Mode().IsRegular() {
			return err
		}
		err = copyNew(from, to, info.Mode().Perm())
	}
	if err != nil && !(errors.Is(err, fs.ErrExist) && same(from, to)) {
		return err
	}
	return os.Remove(from)
}

// same reports whether two files have the same bytes.
func same(a, b string) bool {
	x, err := os.Lstat(a)
	y, err2 := os.Lstat(b)
	if err != nil || err2 != nil || !x.Mode().IsRegular() || !y.Mode().IsRegular() || x.Size() != y.Size() {
		return false
	}
	left, err := os.ReadFile(a)
	right, err2 := os.ReadFile(b)
	return err == nil && err2 == nil && bytes.Equal(left, right)
}
