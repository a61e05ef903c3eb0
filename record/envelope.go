package record

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"factgate/verdict"
)

const (
	payloadType   = "application/vnd.in-toto+json"
	statementType = "https://in-toto.io/Statement/v1"
	runType       = "urn:factgate:check-run:v1"
	tombstoneType = "urn:factgate:tombstone:v1"
)

// statement is an in-toto Statement v1. When writing, Predicate is a Record or a tombstone; when reading, raw bytes.
type statement[P any] struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     P         `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type tombstone struct {
	Record    Record    `json:"record"`
	Collected Collected `json:"collected"`
}

// Sign decides the record's verdict by today's rules and signs it. It returns the bytes of the file and the record as it
// stands in them. It refuses a record that Open would refuse.
func Sign(r Record, s Signer) ([]byte, Record, error) {
	r.RulesVersion = verdict.Version
	r.Verdict = verdict.Decide(r.Run, r.Rules)
	r.Started, r.Ended = wall(r.Started), wall(r.Ended)
	if err := r.check(); err != nil {
		return nil, Record{}, err
	}
	var body []byte
	var err error
	if r.Collected == nil {
		body, err = json.Marshal(statement[Record]{statementType, r.subjects(), runType, r})
	} else {
		body, err = json.Marshal(statement[tombstone]{statementType, r.subjects(), tombstoneType, tombstone{r, *r.Collected}})
	}
	if err != nil {
		return nil, Record{}, fmt.Errorf("encode record %s: %w", r.ID, err)
	}
	sealer, err := dsse.NewEnvelopeSigner(s)
	if err != nil {
		return nil, Record{}, fmt.Errorf("sign record %s: %w", r.ID, err)
	}
	env, err := sealer.SignPayload(context.Background(), payloadType, body)
	if err != nil {
		return nil, Record{}, fmt.Errorf("sign record %s: %w", r.ID, err)
	}
	data, err := spell(env)
	return data, r, err
}

// Open reads a record or a tombstone. The errors are FormatError, UntrustedError, ErrSignature and ForgedError. The
// verdict that it returns is today's.
func Open(data []byte, trust Trust) (Record, error) {
	body, err := unseal(data, trust)
	if err != nil {
		return Record{}, err
	}
	var st statement[json.RawMessage]
	if err := strict(body, &st); err != nil {
		return Record{}, err
	}
	if st.Type != statementType {
		return Record{}, &FormatError{fmt.Sprintf("_type is %q", st.Type)}
	}
	var r Record
	switch st.PredicateType {
	case runType:
		err = strict(st.Predicate, &r)
	case tombstoneType:
		var t tombstone
		err = strict(st.Predicate, &t)
		r = t.Record
		r.Collected = &t.Collected
	default:
		err = &FormatError{fmt.Sprintf("predicateType is %q", st.PredicateType)}
	}
	if err != nil {
		return Record{}, err
	}
	if err := r.check(); err != nil {
		return Record{}, err
	}
	if !slices.EqualFunc(st.Subject, r.subjects(), sameSubject) {
		return Record{}, &FormatError{"the subjects are not those of its tree"}
	}
	return r.decideAgain()
}

// decideAgain holds the stated verdict against the facts. Other versions of the rules are not at hand, so what they
// decided is not judged, only replaced.
func (r Record) decideAgain() (Record, error) {
	today := verdict.Decide(r.Run, r.Rules)
	if r.RulesVersion == verdict.Version && !today.Equal(r.Verdict) {
		return Record{}, &ForgedError{ID: r.ID, Version: r.RulesVersion, States: r.Verdict, Follows: today}
	}
	r.RulesVersion, r.Verdict = verdict.Version, today
	return r, nil
}

// unseal returns the very bytes that were signed.
func unseal(data []byte, trust Trust) ([]byte, error) {
	var env dsse.Envelope
	if err := strict(data, &env); err != nil {
		return nil, err
	}
	if again, err := spell(&env); err != nil || !bytes.Equal(again, data) {
		return nil, &FormatError{"the envelope is not spelled as it was written"}
	}
	if env.PayloadType != payloadType {
		return nil, &FormatError{fmt.Sprintf("payloadType is %q", env.PayloadType)}
	}
	if len(env.Signatures) != 1 {
		return nil, &FormatError{fmt.Sprintf("%d signatures", len(env.Signatures))}
	}
	key, ok := trust.find(env.Signatures[0].KeyID)
	if !ok {
		return nil, &UntrustedError{env.Signatures[0].KeyID}
	}
	verifier, err := dsse.NewEnvelopeVerifier(verifier{key})
	if err != nil {
		return nil, ErrSignature
	}
	_, body, err := verifier.VerifyAndDecode(context.Background(), &env)
	if err != nil {
		return nil, ErrSignature
	}
	return body, nil
}

// spell writes the one spelling of an envelope. Base64 is held to its own one spelling: a decoder that ignores trailing
// bits would let some bytes of the file change.
func spell(env *dsse.Envelope) ([]byte, error) {
	for _, s := range append([]string{env.Payload}, signatures(env)...) {
		if !canonical(s) {
			return nil, &FormatError{"base64 that is not in its one spelling"}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(env); err != nil {
		return nil, &FormatError{err.Error()}
	}
	return b.Bytes(), nil
}

func signatures(env *dsse.Envelope) []string {
	var list []string
	for _, s := range env.Signatures {
		list = append(list, s.Sig)
	}
	return list
}

// strict decodes one JSON value and refuses members that are not known, and anything behind it.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return &FormatError{err.Error()}
	}
	if len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		return &FormatError{"more than one JSON value"}
	}
	return nil
}

func (r Record) subjects() []subject {
	list := []subject{}
	if r.Tree.ID != "" {
		list = append(list, subject{"worktree", map[string]string{"factgate-tree-v1": r.Tree.ID}})
	}
	if r.Tree.GitTree != "" {
		list = append(list, subject{"git-tree", map[string]string{"gitTree": r.Tree.GitTree}})
	}
	return list
}

func sameSubject(a, b subject) bool {
	if a.Name != b.Name || len(a.Digest) != len(b.Digest) {
		return false
	}
	for k, v := range a.Digest {
		if w, ok := b.Digest[k]; !ok || v != w {
			return false
		}
	}
	return true
}

// isWord reports whether text may become a file name, as keys and names of chains do: 1 to 128 of A-Z, a-z, 0-9, "_", "-"
// and, but for the first, ".".
func isWord(text string) bool {
	for i := range len(text) {
		c := text[i]
		if !(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' && i > 0) {
			return false
		}
	}
	return len(text) > 0 && len(text) <= 128
}

// check refuses what has no place in a store.
func (r Record) check() error {
	switch {
	case !validID(r.ID):
		return &FormatError{fmt.Sprintf("id %q is not a ULID", r.ID)}
	case r.Check == "":
		return &FormatError{"it names no check"}
	case !isWord(r.Key):
		return &FormatError{fmt.Sprintf("key %q", r.Key)}
	case !isWord(r.Chain.Name):
		return &FormatError{fmt.Sprintf("chain name %q", r.Chain.Name)}
	case r.Chain.Position < 1 || (r.Chain.Position == 1) != (r.Chain.Previous == ""):
		return &FormatError{fmt.Sprintf("position %d with previous %q", r.Chain.Position, r.Chain.Previous)}
	case r.Collected != nil && (r.Collected.Digest == "" || r.Collected.At.IsZero()):
		return &FormatError{"a tombstone without digest or time"}
	}
	return nil
}

// wall drops the monotonic reading and the zone, which do not survive the encoding.
func wall(t time.Time) time.Time { return t.UTC().Round(0) }

func validID(id string) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.String() == id
}

// Signer signs records with an ed25519 key. It satisfies dsse.Signer.
type Signer struct{ key ed25519.PrivateKey }

// NewSigner signs with the key.
func NewSigner(key ed25519.PrivateKey) Signer { return Signer{key} }

// Sign signs the bytes as they are.
func (s Signer) Sign(_ context.Context, data []byte) ([]byte, error) {
	if len(s.key) != ed25519.PrivateKeySize {
		return nil, fmt.Errorf("a signing key of %d bytes", len(s.key))
	}
	return ed25519.Sign(s.key, data), nil
}

// KeyID is the sha256 of the public key.
func (s Signer) KeyID() (string, error) { return KeyID(s.Public()), nil }

// Public is the key that verifies what it signs.
func (s Signer) Public() ed25519.PublicKey {
	if len(s.key) != ed25519.PrivateKeySize {
		return nil
	}
	return s.key.Public().(ed25519.PublicKey)
}
