package record

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Mark says that a run has begun. It is written before the program is started and removed when the record is kept.
type Mark struct {
	ID    string    `json:"id"`
	PID   int       `json:"pid"`   // of the factgate that runs it
	Start string    `json:"start"` // of that process, as the system tells it: pids are used again
	Boot  string    `json:"boot"`  // and which boot it belongs to
	Chain string    `json:"chain"`
	Key   string    `json:"key"`
	Check string    `json:"check"`
	Argv  []string  `json:"argv"`
	Time  time.Time `json:"time"`

	Interrupted bool `json:"-"` // its process is gone and no record came
}

// Alive reports whether the process of a mark still runs.
type Alive func(pid int, start, boot string) bool

// Begin writes a run's mark; a WriteError when it cannot.
func (s *Store) Begin(m Mark) error {
	if !validID(m.ID) {
		return &FormatError{"mark without a run id"}
	}
	m.Time = wall(m.Time)
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.replace(s.markPath(m.ID), append(body, '\n'))
}

// End removes a run's mark. One that is not there is no error.
func (s *Store) End(id string) error {
	if !validID(id) {
		return nil
	}
	if err := os.Remove(s.markPath(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &WriteError{s.markPath(id), err}
	}
	return nil
}

// Marks lists the runs that have begun and are not recorded, the oldest first. A run whose process is gone is
// interrupted, not running. A mark that outlived its own record is removed.
func (s *Store) Marks(alive Alive) ([]Mark, error) {
	files, err := names(s.path("started"))
	if err != nil {
		return nil, err
	}
	var list []Mark
	for _, n := range files {
		id, ok := strings.CutSuffix(n, ".json")
		if !ok || !validID(id) {
			continue
		}
		m, ok := s.mark(id)
		if !ok {
			if _, err := os.Lstat(s.markPath(id)); err != nil {
				continue // it ended meanwhile
			}
			m = Mark{ID: id}
		}
		m.Interrupted = !ok || !alive(m.PID, m.Start, m.Boot)
		if _, err := os.Lstat(s.recordPath(id)); err == nil {
			if m.Interrupted {
				os.Remove(s.markPath(id))
			}
			continue
		}
		list = append(list, m)
	}
	return list, nil
}

func (s *Store) mark(id string) (Mark, bool) {
	var m Mark
	text, err := read(s.markPath(id))
	ok := err == nil && json.Unmarshal(text, &m) == nil && m.ID == id
	return m, ok
}

func (s *Store) markPath(id string) string { return s.path("started", id+".json") }

// RunDir makes the private folder of a run. The caller removes it.
func (s *Store) RunDir(id string) (string, error) {
	if !validID(id) {
		return "", &FormatError{"folder without a run id"}
	}
	dir := s.path("runs", id)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", &WriteError{dir, err}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", &WriteError{dir, err}
	}
	return dir, nil
}

// LogPath is where a run's output is kept; its folder exists afterwards.
func (s *Store) LogPath(id string) (string, error) {
	if !validID(id) {
		return "", &FormatError{"log without a run id"}
	}
	path := s.logPath(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", &WriteError{path, err}
	}
	return path, nil
}

func (s *Store) logPath(id string) string { return s.path("logs", id[:4], id+".log") }
