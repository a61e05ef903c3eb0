package parsers_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"factgate/parsers"
)

// TestSealed: only who knows the secret can write the end, and only behind the lines that are there.
func TestSealed(t *testing.T) {
	const lines = `{"e": "start", "v": 1, "runner": "pytest", "pid": 1}` + "\n" + `{"e": "case", "id": "a", "name": "a", "status": "passed"}` + "\n"
	end := func(secret, lines string) string {
		sum := sha256.Sum256([]byte(lines))
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(hex.EncodeToString(sum[:])))
		return `{"e": "end", "status": 0, "seal": "` + hex.EncodeToString(mac.Sum(nil)) + `"}` + "\n"
	}
	more := `{"e": "case", "id": "b", "name": "b", "status": "passed"}` + "\n"
	for name, c := range map[string]struct {
		stream, secret string
		want           bool
	}{
		"sealed":              {lines + end("s", lines), "s", true},
		"no seal":             {lines + `{"e": "end", "status": 0}` + "\n", "s", false},
		"another secret":      {lines + end("t", lines), "s", false},
		"no secret":           {lines + end("", lines), "", false},
		"a case was added":    {lines + more + end("s", lines), "s", false},
		"a case was left out": {lines + end("s", lines+more), "s", false},
		"no end":              {lines, "s", false},
	} {
		stream, err := parsers.Probe(strings.NewReader(c.stream))
		if err != nil {
			t.Fatal(err)
		}
		if got := stream.Sealed(c.secret); got != c.want {
			t.Errorf("%s: sealed %v", name, got)
		}
	}
}
