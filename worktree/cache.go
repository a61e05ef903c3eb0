package worktree

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
)

// The stat cache keeps, for each file, what the system said about it when it was read, and what was read. The file is
//
//	magic, uvarint number of folders, folders, SHA-256 of all before
//	folder: string path from the root, uvarint number of files, files in byte order of their names
//	file:   string name, dev, ino, size, mtime, ctime (8 bytes each), mode (4), SHA-256 (32), git blob id (20)
//
// with strings as uvarint length and bytes, and numbers in little endian. A file that is missing, cut off, damaged or of
// another version is an empty cache. Only files that were old enough when they were read are kept.
const cacheMagic = "factgate stat cache 1\n"

const cacheFixed = 5*8 + 4 + sha256.Size + blobSize

// youngMargin, in nanoseconds, is the coarsest clock tick of the file systems that we know (FAT: 2 s). A file that
// changed less than this before it was read may change again and look the same.
const youngMargin = int64(2e9)

// content is what reading a file gave.
type content struct {
	digest [sha256.Size]byte
	blob   [blobSize]byte // the name that git would give the bytes, in a SHA-1 repository
}

// cache is a stat cache as it was read.
type cache struct {
	folders map[string]cacheFolder
	files   int
}

type cacheFolder struct {
	files int
	data  []byte
}

// readCache reads the file at path. Whatever is wrong with it, the answer is a cache that knows less.
func readCache(path string) *cache {
	if path == "" || !trustStat {
		return &cache{}
	}
	body, ok := readSummed(path, cacheMagic)
	if !ok {
		return &cache{}
	}
	return decodeCache(body)
}

// readSummed reads a file that writeSummed wrote, and returns what lies between magic and checksum; false where it is not
// whole.
func readSummed(path, magic string) ([]byte, bool) {
	data, err := os.ReadFile(path)
	if err != nil || len(data) < len(magic)+sha256.Size || string(data[:len(magic)]) != magic {
		return nil, false
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return nil, false
	}
	return body[len(magic):], true
}

// decodeCache reads what lies between magic and checksum.
func decodeCache(body []byte) *cache {
	c := &cache{}
	d := decoder{rest: body}
	folders := d.number()
	if folders > uint64(len(body)) {
		return c
	}
	c.folders = make(map[string]cacheFolder, folders)
	for ; folders > 0 && !d.bad; folders-- {
		path := string(d.string())
		n := d.number()
		if n > uint64(len(d.rest)) {
			return &cache{}
		}
		start := d.rest
		for range n {
			d.string()
			d.take(cacheFixed)
			if d.bad {
				break
			}
		}
		c.folders[path] = cacheFolder{int(n), start[:len(start)-len(d.rest)]}
		c.files += int(n)
	}
	if d.bad {
		return &cache{}
	}
	return c
}

// cursor walks the cached files of one folder beside the sorted names of the folder.
type cursor struct {
	decoder
	left int
	name []byte
	file []byte
}

func (c *cache) cursor(folder string) cursor {
	f := c.folders[folder]
	return cursor{decoder: decoder{rest: f.data}, left: f.files}
}

// find returns what the cache knows of name under exactly these stat fields. Names must come in byte order.
func (c *cursor) find(name string, st *stat) (content, bool) {
	for c.file == nil || string(c.name) < name {
		if c.left == 0 {
			return content{}, false
		}
		c.left--
		c.name, c.file = c.string(), c.take(cacheFixed)
	}
	if string(c.name) != name {
		return content{}, false
	}
	d := decoder{rest: c.file}
	kept := stat{
		dev: d.uint64(), ino: d.uint64(), size: int64(d.uint64()), mtime: int64(d.uint64()), ctime: int64(d.uint64()),
		mode: binary.LittleEndian.Uint32(d.take(4)),
	}
	if kept != *st {
		return content{}, false
	}
	var found content
	copy(found.digest[:], d.take(sha256.Size))
	copy(found.blob[:], d.take(blobSize))
	return found, true
}

// writeCache replaces the file at path. Entries are in path order.
func writeCache(path string, entries []Entry) error { return writeSummed(path, encodeCache(entries)) }

// writeSummed replaces the file at path in one step by out and its checksum.
func writeSummed(path string, out []byte) error {
	sum := sha256.Sum256(out)
	out = append(out, sum[:]...)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	// No sync: a file that a crash cut off fails its checksum and is an empty cache.
	_, err = tmp.Write(out)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

func encodeCache(entries []Entry) []byte {
	// Entries of one folder need not be neighbours: a folder's files stand around its subfolders.
	var order []string
	groups := map[string][]*Entry{}
	size := 0
	for i := range entries {
		e := &entries[i]
		if !e.keep {
			continue
		}
		dir, name := split(e.Path)
		if groups[dir] == nil {
			order = append(order, dir)
		}
		groups[dir] = append(groups[dir], e)
		size += cacheFixed + len(name) + 2
	}
	out := append(make([]byte, 0, size+size/8+1024), cacheMagic...)
	out = binary.AppendUvarint(out, uint64(len(order)))
	for _, dir := range order {
		out = appendString(out, dir)
		out = binary.AppendUvarint(out, uint64(len(groups[dir])))
		for _, e := range groups[dir] {
			_, name := split(e.Path)
			out = appendString(out, name)
			for _, v := range [...]uint64{e.stat.dev, e.stat.ino, uint64(e.stat.size), uint64(e.stat.mtime), uint64(e.stat.ctime)} {
				out = binary.LittleEndian.AppendUint64(out, v)
			}
			out = binary.LittleEndian.AppendUint32(out, e.stat.mode)
			out = append(out, e.Digest[:]...)
			out = append(out, e.blob[:]...)
		}
	}
	return out
}

func appendString(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// decoder reads from the front of a byte slice; after a fault it is bad and gives zero values.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.bad, d.rest = true, nil
		return make([]byte, max(0, min(n, cacheFixed)))
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) string() []byte {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return nil
	}
	return d.take(int(n))
}

func (d *decoder) uint64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }
