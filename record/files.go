package record

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile is the longest file of ours that is read, in bytes.
const maxFile = 512 << 20

// temp writes data into a new file under the store's tmp folder, on disk when it returns. The caller links or renames it
// to where it belongs: a file under its own name is always whole.
func (s *Store) temp(data []byte, durable bool) (string, error) {
	dir := s.path("tmp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", &WriteError{dir, err}
	}
	var r [12]byte
	rand.Read(r[:])
	name := filepath.Join(dir, hex.EncodeToString(r[:]))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", &WriteError{name, err}
	}
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(name)
		return "", &WriteError{name, err}
	}
	return name, nil
}

// makeDir makes a folder and, where it must last, the names that lead to it.
func makeDir(dir string, durable bool) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for range 2 { // a bucket in a new chain is two new names
		if dir = filepath.Dir(dir); durable {
			if err := syncDir(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// link gives a written file its name. It reports fs.ErrExist when another was first.
func link(from, to string, durable bool) error {
	if err := makeDir(filepath.Dir(to), durable); err != nil {
		return &WriteError{to, err}
	}
	if err := os.Link(from, to); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		return &WriteError{to, err}
	}
	if durable {
		if err := syncDir(filepath.Dir(to)); err != nil {
			return &WriteError{to, err}
		}
	}
	return nil
}

// replace writes data under a name, whatever is there.
func (s *Store) replace(to string, data []byte) error {
	if err := makeDir(filepath.Dir(to), true); err != nil {
		return &WriteError{to, err}
	}
	name, err := s.temp(data, true)
	if err != nil {
		return err
	}
	if err := os.Rename(name, to); err != nil {
		os.Remove(name)
		return &WriteError{to, err}
	}
	if err := syncDir(filepath.Dir(to)); err != nil {
		return &WriteError{to, err}
	}
	return nil
}

// once writes data under a name that is still free and returns what stands there in the end: data, or what another
// writer put there first.
func (s *Store) once(to string, data []byte) ([]byte, error) {
	name, err := s.temp(data, true)
	if err != nil {
		return nil, err
	}
	defer os.Remove(name)
	err = link(name, to, true)
	if errors.Is(err, fs.ErrExist) {
		return read(to)
	}
	return data, err
}

// read reads a regular file of bounded size.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, &FormatError{"not a regular file of reasonable size: " + path}
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// names lists a folder in ascending order; a missing folder is empty.
func names(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.Readdirnames(-1)
	sortNames(list)
	return list, err
}
