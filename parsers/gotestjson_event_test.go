package parsers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"factgate/bench/madeup"
)

// sameEvent holds what was read by hand against encoding/json, for one line.
func sameEvent(t *testing.T, line []byte) {
	t.Helper()
	var a, b goDecoder
	if !a.flat(line) {
		return // left to encoding/json
	}
	want, err := b.any(line)
	if err != nil {
		t.Fatalf("%q was read, and encoding/json says %v", line, err)
	}
	got := a.event
	for _, f := range []struct {
		name string
		a, b []byte
	}{
		{"Action", got.Action, want.Action}, {"Package", got.Package, want.Package}, {"Test", got.Test, want.Test}, {"Output", got.Output, want.Output},
		{"ImportPath", got.ImportPath, want.ImportPath}, {"FailedBuild", got.FailedBuild, want.FailedBuild},
	} {
		if !bytes.Equal(f.a, f.b) {
			t.Fatalf("%s of %q: %q, encoding/json reads %q", f.name, line, f.a, f.b)
		}
	}
	if got.Elapsed != want.Elapsed {
		t.Fatalf("Elapsed of %q: %v, encoding/json reads %v", line, got.Elapsed, want.Elapsed)
	}
}

// TestGoEventFields: sameEvent knows every field.
func TestGoEventFields(t *testing.T) {
	if n := reflect.TypeFor[goEvent]().NumField(); n != 7 {
		t.Errorf("goEvent has %d fields: compare each in sameEvent", n)
	}
}

// eventLines are lines that a reader by hand gets wrong easily.
var eventLines = []string{
	`{}`, `{ }`, `{"Action":"run"}`, `{"Action":"run",}`, `{"Action":"run"}x`, `{"Action":"run"`, `{"Action":"run`, `{"Action"`, `{"`, `{`, ``,
	`{"action":"run"}`, `{"Action" :"run"}`, `{"Action": "run"}`, `{"Action":"run", "Test":"T"}`, `{"Action":null}`, `{"Action":7}`, `{"Action":{"a":1}}`,
	`{"Action":"run","Action":"pass"}`, `{"Output":"\u003cb\u003e \u0026\n\t\r\b\f\/\"\\"}`, `{"Output":"\ud83d\ude00"}`, `{"Output":"\ud83d"}`, `{"Output":"\u00"}`,
	`{"Output":"\x"}`, `{"Output":"\`, `{"Output":"\u+123"}`, `{"Output":"\u0000"}`, "{\"Output\":\"\xff\"}", "{\"Output\":\"a\tb\"}", "{\"Output\":\"\x7f日本\"}", "{\"Time\":\"\xff\"}",
	"{\"Time\":\"\n\"}", `{"Time":"\n"}`, `{"Time":null}`, `{"Elapsed":0}`, `{"Elapsed":0.05}`, `{"Elapsed":-1}`, `{"Elapsed":01}`, `{"Elapsed":1.}`, `{"Elapsed":.5}`,
	`{"Elapsed":00.5}`, `{"Elapsed":1e3}`, `{"Elapsed":1E-3}`, `{"Elapsed":1.5e3}`, `{"Elapsed":0.1234567890123456789}`, `{"Elapsed":123456789012345}`, `{"Elapsed":9007199254740993}`,
	`{"Elapsed":0.000000000000001}`, `{"Elapsed":1.2.3}`, `{"Elapsed":"1"}`, `{"Elapsed":}`, `{"Elapsed":1x}`, `{"Key":"a","Value":"b"}`, `{"OutputType":"frame","Output":"x"}`, `{"Path":"p"}`,
	`{"Unknown":1}`, `{"T":"x"}`, `{"Tested":"x"}`, `{"Test":"x"y}`, `[]`, `"x"`, `{"Output":"` + strings.Repeat(`a\n`, 40) + `"}`, `{"Output":"` + strings.Repeat("é", 40) + `"}`,
}

func TestGoEvent(t *testing.T) {
	for _, line := range eventLines {
		sameEvent(t, []byte(line))
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		number := fmt.Sprint(random.Uint64())
		number = number[:1+random.IntN(len(number))]
		if at := random.IntN(len(number)); at > 0 {
			number = number[:at] + "." + number[at:]
		}
		sameEvent(t, []byte(`{"Elapsed":`+number+`}`))
	}
	var made bytes.Buffer
	if _, err := madeup.GoTest(&made, 7, 20_000); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(made.Bytes()) {
		sameEvent(t, bytes.TrimSpace(line))
	}
}

// TestGoEventsByHand: what go writes is read by hand, or all the speed is gone.
func TestGoEventsByHand(t *testing.T) {
	n := 0
	for _, c := range captures(t) {
		if c.format != "gotestjson" {
			continue
		}
		for line := range bytes.Lines(c.bytes) {
			var d goDecoder
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' && !d.flat(line) {
				t.Errorf("%s: %q is left to encoding/json", c.name, line)
			}
			sameEvent(t, line)
			n++
		}
	}
	if n < 100 {
		t.Errorf("only %d lines", n)
	}
}

// TestPlain: eight bytes at a time find what one at a time finds.
func TestPlain(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			for _, other := range []byte{'x', 0x7f, 0x80, 0xff, ' ', '!', '#', '[', ']'} {
				b := bytes.Repeat([]byte{other}, 24)
				b[at] = byte(c)
				want, ascii := len(b), true
				for i, x := range b {
					if x < 0x20 || x == '"' || x == '\\' {
						want = i
						break
					}
					ascii = ascii && x < 0x80
				}
				if got, all := plainJSON(b); got != want || all && !ascii {
					t.Fatalf("plainJSON of %q: %d %v, want %d %v", b, got, all, want, ascii)
				}
			}
		}
	}
}

func FuzzGoEvent(f *testing.F) {
	for _, line := range eventLines {
		f.Add([]byte(line))
	}
	for _, c := range captures(f) {
		if c.format == "gotestjson" && len(c.bytes) < 2000 {
			for line := range bytes.Lines(c.bytes) {
				f.Add(bytes.TrimSpace(line))
			}
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		sameEvent(t, line)
		// Where it is valid, the same must hold for how Go itself writes it.
		var e struct {
			Action, Package, Test, Output string
			Elapsed                       float64
		}
		if json.Unmarshal(line, &e) == nil {
			again, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			var d goDecoder
			sameEvent(t, again)
			if !d.flat(again) && !bytes.ContainsAny(again, "e-E") && e.Elapsed < 1e6 {
				t.Fatalf("%q is left to encoding/json", again)
			}
		}
	})
}
