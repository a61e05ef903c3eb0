package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"factgate/facts"
	"factgate/verdict"
)

func trustTest() Trust { return Trust{testKey().Public()} }

func TestRoundTrip(t *testing.T) {
	for _, change := range []func(*Record){
		func(*Record) {}, red,
		func(r *Record) {
			r.Tree = Tree{}
			r.Run = facts.Run{NotStarted: &facts.NotStarted{Why: facts.TreeUnknown}}
		},
		func(r *Record) { r.Chain.Position, r.Chain.Previous = 7, "abc" },
	} {
		data, want, err := Sign(sample(1, change), testKey())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Open(data, trustTest())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if again := signed(t, got); !bytes.Equal(again, data) {
			t.Error("the record that was read is signed to other bytes")
		}
	}
}

// TestStatement: what is signed is an in-toto statement that others can read.
func TestStatement(t *testing.T) {
	var env dsse.Envelope
	if err := json.Unmarshal(signed(t, sample(1)), &env); err != nil {
		t.Fatal(err)
	}
	body, err := env.DecodeB64Payload()
	if err != nil {
		t.Fatal(err)
	}
	var st struct {
		Type    string `json:"_type"`
		Subject []struct {
			Name   string
			Digest map[string]string
		}
		PredicateType string
		Predicate     map[string]any
	}
	if err := json.Unmarshal(body, &st); err != nil {
		t.Fatal(err)
	}
	if env.PayloadType != "application/vnd.in-toto+json" || st.Type != "https://in-toto.io/Statement/v1" ||
		st.PredicateType != "urn:factgate:check-run:v1" || st.Predicate["key"] != "k1" {
		t.Errorf("%s", body)
	}
	if len(st.Subject) != 2 || st.Subject[0].Digest["factgate-tree-v1"] == "" || st.Subject[1].Digest["gitTree"] != "9ab3" {
		t.Errorf("subjects %+v", st.Subject)
	}
	if strings.Contains(string(body), "postgres://") {
		t.Error("a value of the environment is in the record")
	}
}

// TestEveryByte: a record that differs in one byte is not a record, nor is one that lacks a byte or its end.
func TestEveryByte(t *testing.T) {
	data, trust := signed(t, sample(1)), trustTest()
	if _, err := Open(data, trust); err != nil {
		t.Fatal(err)
	}
	refuse := func(b []byte, what string, i int) {
		if r, err := Open(b, trust); err == nil {
			t.Fatalf("%s byte %d of %d: opened as %s %s", what, i, len(data), r.ID, r.Verdict.Outcome)
		}
	}
	changed := bytes.Clone(data)
	for i := range data {
		for _, mask := range []byte{0x01, 0x02, 0x20, 0x80} {
			changed[i] = data[i] ^ mask
			refuse(changed, "changed", i)
		}
		for _, b := range []byte{' ', '\n', '"', 'A', '='} {
			if changed[i] = b; b != data[i] {
				refuse(changed, "replaced", i)
			}
			refuse(slices.Insert(bytes.Clone(data), i, b), "inserted before", i)
		}
		changed[i] = data[i]
		refuse(append(bytes.Clone(data[:i]), data[i+1:]...), "dropped", i)
		refuse(data[:i], "cut at", i)
	}
	refuse(append(bytes.Clone(data), '\n'), "added", len(data))
	refuse(append(bytes.Clone(data), data...), "doubled", len(data))
}

// seal signs any statement, as a forger with the key could.
func seal(t *testing.T, body []byte) []byte {
	t.Helper()
	es, err := dsse.NewEnvelopeSigner(testKey())
	if err != nil {
		t.Fatal(err)
	}
	env, err := es.SignPayload(context.Background(), payloadType, body)
	if err != nil {
		t.Fatal(err)
	}
	data, err := spell(env)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func body(t *testing.T, r Record) []byte {
	t.Helper()
	b, err := unseal(signed(t, r), trustTest())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestForged(t *testing.T) {
	b := body(t, sample(1, red))
	stated := []byte(`"verdict":{"outcome":"failed","reasons":["tests_failed"]}`)
	for _, lie := range []string{`"verdict":{"outcome":"passed"}`, `"verdict":{"outcome":"failed","reasons":["timed_out"]}`} {
		data := seal(t, bytes.Replace(b, stated, []byte(lie), 1))
		_, err := Open(data, trustTest())
		var forged *ForgedError
		if !errors.As(err, &forged) {
			t.Fatalf("%s: %v", lie, err)
		}
		if forged.Follows.Outcome != verdict.Failed || forged.Version != verdict.Version || !strings.Contains(err.Error(), "failed") {
			t.Errorf("%s: %v", lie, err)
		}
	}
}

// TestOtherRules: what other rules decided is not judged, and only today's verdict counts.
func TestOtherRules(t *testing.T) {
	for _, version := range []string{"0", "2"} {
		b := bytes.Replace(body(t, sample(1, red)), []byte(`"rules_version":1,"verdict":{"outcome":"failed","reasons":["tests_failed"]}`),
			[]byte(`"rules_version":`+version+`,"verdict":{"outcome":"passed"}`), 1)
		r, err := Open(seal(t, b), trustTest())
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict.Outcome != verdict.Failed || r.RulesVersion != verdict.Version {
			t.Errorf("version %s: %+v by %d", version, r.Verdict, r.RulesVersion)
		}
	}
}

func TestRefused(t *testing.T) {
	good := string(body(t, sample(1)))
	swap := func(old, new string) []byte {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in the record", old)
		}
		return seal(t, []byte(strings.Replace(good, old, new, 1)))
	}
	for name, data := range map[string][]byte{
		"unknown member":          swap(`"check":"api"`, `"check":"api","hidden":1`),
		"unknown member of facts": swap(`"complete":true`, `"complete":true,"hidden":1`),
		"other statement":         swap(`"_type":"https://in-toto.io/Statement/v1"`, `"_type":"https://in-toto.io/Statement/v0.1"`),
		"other predicate":         swap(runType, "urn:factgate:check-run:v2"),
		"other subject":           swap(`"digest":{"gitTree":"9ab3"}`, `"digest":{"gitTree":"0000"}`),
		"no subject":              swap(`,{"name":"git-tree","digest":{"gitTree":"9ab3"}}`, ``),
		"unknown word":            swap(`"meaning":"clean"`, `"meaning":"splendid"`),
		"no id":                   swap(sample(1).ID[:10], "01ARZ3NDEI"),
		"position 0":              swap(`"position":1`, `"position":0`),
		"first with a previous":   swap(`"position":1`, `"position":1,"previous":"ab"`),
		"chain that climbs":       swap(`"name":"repo"`, `"name":"../x"`),
		"key that climbs":         swap(`"key":"k1"`, `"key":"a/b"`),
		"two values":              seal(t, []byte(good+good)),
		"nothing":                 nil,
		"null":                    []byte("null\n"),
	} {
		if _, err := Open(data, trustTest()); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	if _, err := Open(signed(t, sample(1)), nil); !errors.As(err, new(*UntrustedError)) {
		t.Errorf("without trust: %v", err)
	}
}

// TestTombstone: the condensed record proves what the whole one proved.
func TestTombstone(t *testing.T) {
	for _, change := range []func(*Record){func(*Record) {}, red} {
		data, whole, err := Sign(sample(1, change), testKey())
		if err != nil {
			t.Fatal(err)
		}
		c := entryOf(whole, data).Record
		c.Collected = &Collected{Digest: hash(data), At: start}
		stone, err := Open(signed(t, c), trustTest())
		if err != nil {
			t.Fatal(err)
		}
		if !stone.Verdict.Equal(whole.Verdict) || stone.Collected == nil || stone.Collected.Digest != hash(data) ||
			stone.Run.Results.Counts != whole.Run.Results.Counts || len(stone.Run.Results.Cases) != 0 {
			t.Errorf("%+v", stone)
		}
	}
}
