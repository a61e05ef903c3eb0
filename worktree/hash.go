package worktree

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// blobSize is the length of a git object's name in a SHA-1 repository.
const blobSize = sha1.Size

// errMoved says that the tree changed while it was read: what was read so far is no state that it ever had.
var errMoved = errors.New("keeps changing while it is read")

// vanished says that what was just listed is gone or has become something else.
func vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// pathError names the path that could not be read. What vanished meanwhile is errMoved.
func pathError(act, path string, err error) error {
	if err == nil {
		return nil
	}
	var inner *fs.PathError
	if errors.As(err, &inner) && !errors.Is(err, errMoved) {
		err = inner.Err // the path is named once
	}
	if vanished(err) {
		return fmt.Errorf("%s %q: %w (%w)", act, path, errMoved, err)
	}
	return fmt.Errorf("%s %q: %w", act, path, err)
}

// hasher reads files.
type hasher struct {
	buf  []byte
	now  func() int64 // nanoseconds since 1970
	text *[]byte      // where a copy of the bytes goes; may be nil
}

// read reads an open file whole, and says under which stat fields its bytes are these. The result may be kept for
// later when old is true.
func (h *hasher) read(ctx context.Context, f *os.File) (c content, st stat, old bool, err error) {
	t, st, err := statFile(f)
	if err != nil {
		return c, st, false, err
	}
	if t != File {
		return c, st, false, errMoved
	}
	began := h.now()
	sum, blob := sha256.New(), sha1.New()
	blob.Write(append(strconv.AppendInt([]byte("blob "), st.size, 10), 0))
	var size int64
	for {
		if err := ctx.Err(); err != nil {
			return c, st, false, err
		}
		n, err := f.Read(h.buf)
		size += int64(n)
		sum.Write(h.buf[:n])
		blob.Write(h.buf[:n])
		if h.text != nil {
			*h.text = append(*h.text, h.buf[:n]...)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return c, st, false, err
		}
	}
	_, after, err := statFile(f)
	if err != nil {
		return c, st, false, err
	}
	if after != st || size != st.size {
		return c, st, false, errMoved
	}
	sum.Sum(c.digest[:0])
	blob.Sum(c.blob[:0])
	return c, st, max(st.mtime, st.ctime) < began-youngMargin, nil
}

// ofBytes is the content of a small thing that is not read as a file: a link's target.
func ofBytes(b []byte) (c content) {
	c.digest = sha256.Sum256(b)
	c.blob = sha1.Sum(append(append(strconv.AppendInt([]byte("blob "), int64(len(b)), 10), 0), b...))
	return c
}
