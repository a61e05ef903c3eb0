package record

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Store is a directory of records outside the repository. Any number of processes may use one at the same time; none
// holds a lock while it writes.
//
//	keys/signing.pem, keys/*.pub       the signing key (PKCS #8) and every public key that is trusted
//	keys/secret                        for keyed digests
//	records/01JZ/ID.json               records and tombstones, by the first four letters of their ids
//	chains/NAME/000000/000000042.json  the same files by position: linking one here claims the position
//	index/key, index/check, index/chain  entries (Entry), made again from records when one is damaged or all are lost
//	started/ID.json                    runs that have begun and are not recorded
//	logs/01JZ/ID.log, runs/ID/         output, private folders
//	locks/KEY, tmp/                    who is running a key; files that are being written
type Store struct {
	dir    string
	secret []byte
	flock  func(*os.File) (held bool, err error)
	wait   time.Duration // the watchdog of Claim

	mu    sync.Mutex
	own   *Signer
	known Trust
	ahead *Chain // what Ready found; for one Append
}

// OpenStore opens the store in dir, which it makes when it is missing. It refuses a directory that others can write to or
// that leads elsewhere (DirError), and fails with a WriteError when it can neither read nor make what it needs. A store
// that may only be read answers lookups; writing to it is a WriteError.
func OpenStore(dir string) (*Store, error) {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, &WriteError{dir, err}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, &WriteError{dir, err}
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, &WriteError{dir, err}
	}
	if err := checkDir(dir, info); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, flock: tryLock, wait: 10 * time.Second}
	if s.secret, err = s.loadSecret(); err != nil {
		return nil, err
	}
	s.mend()
	return s, nil
}

// checkDir refuses a directory whose content others could choose.
func checkDir(dir string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return &DirError{dir, "it is a symbolic link", "name the real directory in FACTGATE_STATE_DIR"}
	case !info.IsDir():
		return &DirError{dir, "it is not a directory", "name a directory in FACTGATE_STATE_DIR"}
	}
	return checkOwner(dir, info)
}

// Dir is where the store lies.
func (s *Store) Dir() string { return s.dir }

func (s *Store) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

// EnvDigest is the keyed digest under which the value of a variable stands in keys and records of this store.
func (s *Store) EnvDigest(name, value string) string {
	return string(mac(s.secret, "env", []byte(name+"\x00"+value)))
}

func (s *Store) loadSecret() ([]byte, error) {
	path := s.path("keys", "secret")
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		var fresh [32]byte
		rand.Read(fresh[:])
		text, err = s.once(path, []byte(hex.EncodeToString(fresh[:])+"\n"))
	}
	if err != nil {
		return nil, asWrite(path, err)
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) < 32 {
		return nil, &WriteError{path, fmt.Errorf("not a secret of 32 bytes in hex")}
	}
	return secret, nil
}

// signer is the store's own key, made on first use.
func (s *Store) signer() (Signer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own != nil {
		return *s.own, nil
	}
	path := s.path("keys", "signing.pem")
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = s.makeKey(path)
	}
	if err != nil {
		return Signer{}, asWrite(path, err)
	}
	if info, err := os.Stat(path); err == nil && private(info) != nil {
		return Signer{}, &WriteError{path, private(info)}
	}
	signer, err := parseSigner(text)
	if err != nil {
		return Signer{}, &WriteError{path, err}
	}
	pub, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		return Signer{}, &WriteError{path, err}
	}
	id := KeyID(signer.Public())
	pubPath := s.path("keys", id[:16]+".pub")
	if _, err := os.Stat(pubPath); err != nil {
		if err := s.replace(pubPath, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pub})); err != nil {
			return Signer{}, err
		}
	}
	s.own, s.known = &signer, nil
	return signer, nil
}

// Ready reads, or makes, what Append needs for a record of a chain, for whoever has the time before. Append says what is
// wrong with it.
func (s *Store) Ready(chain string) {
	_, _ = s.signer()
	if next, err := s.next(chain); err == nil {
		s.mu.Lock()
		s.ahead = &next
		s.mu.Unlock()
	}
}

func (s *Store) makeKey(path string) ([]byte, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return s.once(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func parseSigner(text []byte) (Signer, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return Signer{}, errors.New("not a PEM file")
	}
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return Signer{}, err
	}
	key, ok := k.(ed25519.PrivateKey)
	if !ok {
		return Signer{}, errors.New("not an ed25519 key")
	}
	return Signer{key}, nil
}

// Trust is every public key under keys/. A file that holds none is passed over: its records are then untrusted.
func (s *Store) Trust() Trust {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known != nil {
		return s.known
	}
	list, _ := names(s.path("keys"))
	var t Trust
	for _, n := range list {
		if !strings.HasSuffix(n, ".pub") {
			continue
		}
		text, err := read(s.path("keys", n))
		if err != nil {
			continue
		}
		if block, _ := pem.Decode(text); block != nil {
			if k, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
				if key, ok := k.(ed25519.PublicKey); ok {
					t = append(t, key)
				}
			}
		}
	}
	s.known = t
	return t
}

// open reads the record or tombstone in a file, with its bytes.
func (s *Store) open(path string) (Record, []byte, error) {
	data, err := read(path)
	if err != nil {
		return Record{}, nil, err
	}
	r, err := Open(data, s.Trust())
	var unknown *UntrustedError
	if errors.As(err, &unknown) { // another process may have made the key since
		s.mu.Lock()
		s.known = nil
		s.mu.Unlock()
		r, err = Open(data, s.Trust())
	}
	return r, data, err
}

func asWrite(path string, err error) error {
	var w *WriteError
	if errors.As(err, &w) {
		return err
	}
	return &WriteError{path, err}
}

func sortNames(list []string) { slices.Sort(list) }
