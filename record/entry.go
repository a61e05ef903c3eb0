package record

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"factgate/verdict"
)

// Entry is a record as the index holds it: the facts condensed to what decides, so that thousands can be read quickly. It
// is derived from the record and made again from it when it is damaged. Store.Get has the whole record.
type Entry struct {
	Record
	Digest string // sha256 of the record's file as it was first written
	Size   int64  // and its length
}

// entryOf condenses a record whose file is data.
func entryOf(r Record, data []byte) Entry {
	e := Entry{Record: r, Digest: hash(data), Size: int64(len(data))}
	if r.Collected != nil {
		e.Digest = r.Collected.Digest
	}
	e.Run = verdict.Condense(r.Run)
	e.Argv, e.Env, e.Outputs, e.Inputs.Patterns = nil, nil, nil, nil
	e.Tree.Anomalies, e.Tree.LeftOut = nil, nil
	return e
}

type entryLine struct {
	Record    Record     `json:"record"`
	Collected *Collected `json:"collected,omitempty"`
	Digest    string     `json:"digest"`
	Size      int64      `json:"size"`
}

// seal writes an entry as one line: its HMAC under the store's secret, a space, its JSON. The signed record stays the
// authority; the HMAC says that this store wrote the line, and finds one that was cut off.
func (e Entry) seal(secret []byte) ([]byte, error) {
	body, err := json.Marshal(entryLine{e.Record, e.Collected, e.Digest, e.Size})
	if err != nil {
		return nil, fmt.Errorf("encode index entry %s: %w", e.ID, err)
	}
	line := append(mac(secret, "index", body), ' ')
	return append(append(line, body...), '\n'), nil
}

func openEntry(line, secret []byte) (Entry, bool) {
	sum, body, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if !ok || !hmac.Equal(sum, mac(secret, "index", body)) {
		return Entry{}, false
	}
	var l entryLine
	if json.Unmarshal(body, &l) != nil {
		return Entry{}, false
	}
	l.Record.Collected = l.Collected
	return Entry{Record: l.Record, Digest: l.Digest, Size: l.Size}, true
}

// mac is the HMAC-SHA256 in lower-case hex, separated by purpose.
func mac(secret []byte, purpose string, body []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(purpose))
	h.Write([]byte{0})
	h.Write(body)
	return hex.AppendEncode(nil, h.Sum(nil))
}
