//go:build linux

package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// forge rewrites the one record that a glob names, and signs it with the store's own key: forge GLOB OLD NEW.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: forge GLOB OLD NEW")
	}
	paths, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(paths) != 1 {
		ts.Fatalf("%d files match %s", len(paths), args[0])
	}
	var envelope struct {
		PayloadType string
		Payload     string
		Signatures  []struct{ Sig string }
	}
	data, err := os.ReadFile(paths[0])
	ts.Check(err)
	ts.Check(json.Unmarshal(data, &envelope))
	payload, err := base64.StdEncoding.DecodeString(envelope.Payload)
	ts.Check(err)
	if !bytes.Contains(payload, []byte(args[1])) {
		ts.Fatalf("the record does not hold %s: %s", args[1], payload)
	}
	payload = bytes.ReplaceAll(payload, []byte(args[1]), []byte(args[2]))
	text, err := os.ReadFile(filepath.Join(ts.Getenv("STATE"), "keys", "signing.pem"))
	ts.Check(err)
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	ts.Check(err)
	signed := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(envelope.PayloadType), envelope.PayloadType, len(payload), payload)
	data = bytes.Replace(data, []byte(envelope.Payload), []byte(base64.StdEncoding.EncodeToString(payload)), 1)
	signature := base64.StdEncoding.EncodeToString(ed25519.Sign(key.(ed25519.PrivateKey), signed))
	data = bytes.Replace(data, []byte(envelope.Signatures[0].Sig), []byte(signature), 1)
	// In place: a record has two names, and a forger would change both.
	f, err := os.OpenFile(paths[0], os.O_WRONLY|os.O_TRUNC, 0)
	ts.Check(err)
	_, err = f.Write(data)
	ts.Check(err)
	ts.Check(f.Close())
}
