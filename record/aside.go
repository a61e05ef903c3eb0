package record

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Aside says what a run moves out of the way of its program, into its private folder. It is on disk before the first file
// is moved and gone when all are back: where it stays, the factgate was killed, and the files are the user's.
type Aside struct {
	ID    string   `json:"id"`
	PID   int      `json:"pid"` // see Mark
	Start string   `json:"start"`
	Boot  string   `json:"boot"`
	Root  string   `json:"root"`
	Check string   `json:"check"`
	Lock  string   `json:"lock"`           // held while a run has its results in that place
	Names [][]byte `json:"names"`          // from the root, with slashes, as the bytes on disk are
	Told  bool     `json:"told,omitempty"` // of what cannot be put back

	Dir string `json:"-"` // the run's private folder
}

// AsideFile is its name in the run's private folder.
const AsideFile = "aside.json"

// Place is where the file of the i-th name is moved to.
func (a Aside) Place(i int) string { return filepath.Join(a.Dir, AsideName(i)) }

// AsideName is the name that the i-th file has in the run's private folder.
func AsideName(i int) string { return fmt.Sprintf("aside-%d", i) }

// SetAside writes down what a run is about to move; a WriteError when it cannot.
func (s *Store) SetAside(a Aside) error {
	if !validID(a.ID) {
		return &FormatError{"files aside without a run id"}
	}
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := s.replace(s.path("runs", a.ID, AsideFile), append(body, '\n')); err != nil {
		return err
	}
	if err := syncDir(s.path("runs")); err != nil { // the run's folder is new too
		return &WriteError{s.path("runs"), err}
	}
	return nil
}

// Asides lists what runs below a root moved away and, since they were killed, did not put back; the oldest first.
func (s *Store) Asides(root string, alive Alive) (list []Aside) {
	for _, id := range must(names(s.path("runs"))) {
		if !validID(id) {
			continue
		}
		a := Aside{}
		text, err := read(s.path("runs", id, AsideFile))
		if err != nil || json.Unmarshal(text, &a) != nil || a.ID != id || a.Root != root || alive(a.PID, a.Start, a.Boot) {
			continue
		}
		a.Dir = s.path("runs", id)
		list = append(list, a)
	}
	return list
}

// aside reports whether files of the user's lie in a run's folder.
func (s *Store) aside(id string) bool {
	if _, err := os.Lstat(s.path("runs", id, AsideFile)); err != nil {
		return false
	}
	left, err := filepath.Glob(filepath.Join(s.path("runs", id), "aside-*"))
	return err != nil || len(left) > 0
}
