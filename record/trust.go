package record

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"

	"github.com/oklog/ulid/v2"
)

// Trust is the public keys whose records are believed.
type Trust []ed25519.PublicKey

func (t Trust) find(id string) (ed25519.PublicKey, bool) {
	for _, k := range t {
		if len(k) == ed25519.PublicKeySize && KeyID(k) == id {
			return k, true
		}
	}
	return nil, false
}

// KeyID names a public key: the sha256 of its bytes in lower-case hex.
func KeyID(k ed25519.PublicKey) string { return hash(k) }

// NewID makes the id of a run: a ULID of the time, so that ids sort by the start of their runs.
func NewID(now time.Time) string { return ulid.MustNew(ulid.Timestamp(now), rand.Reader).String() }

// verifier is one trusted key as dsse asks for it.
type verifier struct{ key ed25519.PublicKey }

func (v verifier) Verify(_ context.Context, data, sig []byte) error {
	if !ed25519.Verify(v.key, data, sig) {
		return ErrSignature
	}
	return nil
}

func (v verifier) KeyID() (string, error)   { return KeyID(v.key), nil }
func (v verifier) Public() crypto.PublicKey { return v.key }

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// canonical reports whether s is the one standard base64 of what it decodes to.
func canonical(s string) bool {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	return err == nil && base64.StdEncoding.EncodedLen(len(b)) == len(s)
}
