package check

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// program is what argv[0] resolves to, for the key and for the record.
type program struct {
	Path   string // absolute; empty when it was not found
	Digest string // of its bytes; a script inside the root without its #! line, and the interpreter that the line names
}

// programs resolves and digests programs. Digests of big binaries are kept by stat identity, so that a key costs
// microseconds when nothing changed.
type programs struct {
	root  string
	cache string // file
	mu    sync.Mutex
	known map[string]string // stat identity -> digest
	dirty bool
}

func newPrograms(root, cache string) *programs {
	p := &programs{root: root, cache: cache, known: map[string]string{}}
	if data, err := os.ReadFile(cache); err == nil {
		if json.Unmarshal(data, &p.known) != nil || p.known == nil {
			p.known = map[string]string{}
		}
	}
	return p
}

// save keeps the digests for the next verify. A cache that cannot be written costs time, nothing else.
func (p *programs) save() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dirty || len(p.known) > 4096 || p.cache == "" {
		return
	}
	if data, err := json.Marshal(p.known); err == nil {
		_ = Replace(p.cache, data)
	}
}

// resolve finds the program of argv as the run will: with a slash relative to dir, else on the PATH of env.
func (p *programs) resolve(argv0, dir string, env []string) program {
	path := find(argv0, dir, env)
	if path == "" {
		return program{}
	}
	digest, err := p.digest(path, dir, env, 0)
	if err != nil {
		return program{Path: path}
	}
	return program{Path: path, Digest: digest}
}

func find(name, dir string, env []string) string {
	if strings.ContainsRune(name, '/') || filepath.IsAbs(name) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name
	}
	for _, d := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(d) {
			continue
		}
		path := filepath.Join(d, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

func (p *programs) digest(path, dir string, env []string, depth int) (string, error) {
	if depth > 4 {
		return "", fmt.Errorf("%s: interpreters go round in a circle", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	inside := strings.HasPrefix(path, p.root+string(filepath.Separator))
	id := identity(path, info)
	p.mu.Lock()
	known, ok := p.known[id]
	p.mu.Unlock()
	var own, interpreter string
	if ok {
		own, interpreter, _ = strings.Cut(known, " ")
	} else {
		if own, interpreter, err = hashProgram(path, inside); err != nil {
			return "", err
		}
		p.mu.Lock()
		p.known[id] = strings.TrimSpace(own + " " + interpreter)
		p.dirty = true
		p.mu.Unlock()
	}
	if interpreter == "" {
		return own, nil
	}
	words := strings.Fields(interpreter)
	target := words[0]
	if filepath.Base(target) == "env" {
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
				target = find(w, dir, env)
				break
			}
		}
	}
	below, err := p.digest(target, dir, env, depth+1)
	if err != nil {
		return own, nil // a missing interpreter shows when the program is started
	}
	return own + "+" + below, nil
}

// hashProgram digests a file and says which interpreter its first line names.
func hashProgram(path string, inside bool) (digest, interpreter string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	sum := sha256.New()
	if head, _ := r.Peek(2); bytes.Equal(head, []byte("#!")) {
		line, err := r.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return "", "", err
		}
		interpreter = strings.TrimSpace(string(line[2:]))
		if !inside {
			sum.Write(line)
		}
	}
	if _, err := io.Copy(sum, r); err != nil {
		return "", "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), interpreter, nil
}

// version is what a program of this digest said when it was asked for its version.
func (p *programs) version(digest string, argv []string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[versionKey(digest, argv)]
}

func (p *programs) keepVersion(digest string, argv []string, said string) {
	if digest == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[versionKey(digest, argv)] = said
	p.dirty = true
}

func versionKey(digest string, argv []string) string {
	return "version " + digest + " " + strings.Join(argv, " ")
}
