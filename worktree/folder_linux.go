package worktree

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// trustStat says that this system's stat fields show every change of a file: ctime cannot be set back.
const trustStat = true

// place is the root folder, held open, so that every path below it is looked up from there.
type place struct{ fd int }

func openPlace(path string) (place, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return place{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return place{fd}, nil
}

func (p place) close() { unix.Close(p.fd) }

// folder is one open folder below the root.
type folder struct{ fd int }

// folder opens the folder at a path relative to the root; "" is the root. A symlink is not followed.
func (p place) folder(rel string) (folder, error) {
	if rel == "" {
		rel = "."
	}
	fd, err := retry(func() (int, error) {
		return unix.Openat(p.fd, rel, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	return folder{fd}, err
}

// open opens a regular file at a path relative to the root for reading. It follows no symlink and waits for no FIFO.
func (p place) open(rel string) (*os.File, error) {
	return openAt(p.fd, rel)
}

func (f folder) open(name string) (*os.File, error) {
	return openAt(f.fd, name)
}

func openAt(dir int, path string) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(dir, path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

func (f folder) close() { unix.Close(f.fd) }

// list calls add for every name in the folder. The bytes of name are valid only during the call.
func (f folder) list(buf []byte, add func(name []byte, t Type)) error {
	for {
		n, err := retry(func() (int, error) { return unix.Getdents(f.fd, buf) })
		if err != nil {
			return err
		}
		if n <= 0 {
			return nil
		}
		for rest := buf[:n]; len(rest) > direntName; {
			size := int(binary.NativeEndian.Uint16(rest[direntSize:]))
			if size <= direntName || size > len(rest) {
				return errors.New("malformed directory entry")
			}
			name := rest[direntName:size]
			for i, c := range name {
				if c == 0 {
					name = name[:i]
					break
				}
			}
			if s := string(name); s != "." && s != ".." { // not copied: the compiler sees a comparison
				add(name, typeOfDirent(rest[direntType]))
			}
			rest = rest[size:]
		}
	}
}

// Places of the fields of struct linux_dirent64: ino 8, off 8, reclen 2, type 1, name.
const (
	direntSize = 16
	direntType = 18
	direntName = 19
)

func typeOfDirent(t byte) Type {
	switch t {
	case unix.DT_REG:
		return File
	case unix.DT_DIR:
		return folderType
	case unix.DT_LNK:
		return Link
	case unix.DT_FIFO:
		return Pipe
	case unix.DT_SOCK:
		return Socket
	case unix.DT_CHR:
		return CharDevice
	case unix.DT_BLK:
		return BlockDevice
	}
	return unknownType
}

func (f folder) stat(name string) (Type, stat, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return unknownType, stat{}, err
	}
	return typeOfMode(st.Mode), statOf(&st), nil
}

func typeOfMode(mode uint32) Type {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return File
	case unix.S_IFDIR:
		return folderType
	case unix.S_IFLNK:
		return Link
	case unix.S_IFIFO:
		return Pipe
	case unix.S_IFSOCK:
		return Socket
	case unix.S_IFCHR:
		return CharDevice
	case unix.S_IFBLK:
		return BlockDevice
	}
	return unknownType
}

func statOf(st *unix.Stat_t) stat {
	return stat{
		dev: uint64(st.Dev), ino: st.Ino, mode: st.Mode, size: st.Size,
		mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
	}
}

// statFile reads the stat fields of an open file.
func statFile(f *os.File) (Type, stat, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstat(int(f.Fd()), &st) })
	if err != nil {
		return unknownType, stat{}, err
	}
	return typeOfMode(st.Mode), statOf(&st), nil
}

func (f folder) readlink(name string) (string, error) {
	for size := 256; ; size *= 2 {
		buf := make([]byte, size)
		n, err := retry(func() (int, error) { return unix.Readlinkat(f.fd, name, buf) })
		if err != nil {
			return "", err
		}
		if n < size {
			return string(buf[:n]), nil
		}
	}
}

func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}
