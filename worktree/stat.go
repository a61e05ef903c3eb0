package worktree

// Type is what kind of thing an entry is. Only a file's content and a link's target are read.
type Type byte

// The types of entries. Folders are not entries: they are known by what lies in them.
const (
	File        Type = 'f'
	Link        Type = 'l'
	Pipe        Type = 'p'
	Socket      Type = 's'
	CharDevice  Type = 'c'
	BlockDevice Type = 'b'

	folderType  Type = 'd'
	unknownType Type = '?'
)

// stat is what the system says about a file beside its content. Equal fields mean equal bytes, unless the file was so
// young when it was read that it could change again within one tick of its clock.
type stat struct {
	dev, ino     uint64
	mode         uint32 // permission bits as the system gives them
	size         int64  // bytes
	mtime, ctime int64  // nanoseconds since 1970
}

// exec is the owner's execute bit, the one that git keeps.
func (s stat) exec() bool { return s.mode&0o100 != 0 }
