//go:build !linux

package worktree

import (
	"io/fs"
	"os"
	"path/filepath"
)

// place is the root folder.
type place struct{ path string }

func openPlace(path string) (place, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	return place{path}, err
}

func (p place) close() {}

// folder is one folder below the root.
type folder struct{ path string }

// folder opens the folder at a path relative to the root; "" is the root. A symlink is not followed.
func (p place) folder(rel string) (folder, error) {
	path := filepath.Join(p.path, filepath.FromSlash(rel))
	info, err := os.Lstat(path)
	if err == nil && rel != "" && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist} // no longer a folder
	}
	return folder{path}, err
}

// open opens a regular file at a path relative to the root for reading. It follows no symlink and waits for no FIFO.
func (p place) open(rel string) (*os.File, error) {
	return openRegular(filepath.Join(p.path, filepath.FromSlash(rel)))
}

func (f folder) open(name string) (*os.File, error) {
	return openRegular(filepath.Join(f.path, name))
}

func openRegular(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist} // no longer a file
	}
	return os.OpenFile(path, os.O_RDONLY|openFlags, 0)
}

func (f folder) close() {}

// list calls add for every name in the folder. The bytes of name are valid only during the call.
func (f folder) list(_ []byte, add func(name []byte, t Type)) error {
	dir, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	for _, e := range entries {
		add([]byte(e.Name()), typeOfFileMode(e.Type()))
	}
	return nil
}

func typeOfFileMode(m fs.FileMode) Type {
	switch m.Type() {
	case 0:
		return File
	case fs.ModeDir:
		return folderType
	case fs.ModeSymlink:
		return Link
	case fs.ModeNamedPipe:
		return Pipe
	case fs.ModeSocket:
		return Socket
	case fs.ModeDevice | fs.ModeCharDevice:
		return CharDevice
	case fs.ModeDevice:
		return BlockDevice
	}
	return unknownType
}

func (f folder) stat(name string) (Type, stat, error) {
	info, err := os.Lstat(filepath.Join(f.path, name))
	if err != nil {
		return unknownType, stat{}, err
	}
	return typeOfFileMode(info.Mode()), statOf(info), nil
}

// statFile reads the stat fields of an open file.
func statFile(f *os.File) (Type, stat, error) {
	info, err := f.Stat()
	if err != nil {
		return unknownType, stat{}, err
	}
	return typeOfFileMode(info.Mode()), statOf(info), nil
}

func (f folder) readlink(name string) (string, error) {
	return os.Readlink(filepath.Join(f.path, name))
}
