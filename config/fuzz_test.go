package config

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
)

// hostile are the texts that hurt a TOML decoder without a guard.
func hostile() map[string]string {
	const big = 250 << 10
	r := strings.Repeat
	return map[string]string{
		"brackets":           "a = " + r("[", 10_000),
		"closed brackets":    "a = " + r("[", 10_000) + r("]", 10_000),
		"only brackets":      r("[", big),
		"inline tables":      "a = " + r("{a=", 10_000) + "1" + r("}", 10_000),
		"mixed":              "a = " + r("[{a=", 10_000),
		"dotted key":         r("a.", big/2) + "a = 1",
		"dotted header":      "[" + r("a.", big/2) + "a]",
		"dotted list header": "[[" + r("a.", big/2) + "a]]",
		"dotted inline":      "x = {" + r("a.", big/2) + "a = 1}",
		"many dotted":        r("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o = 1\n", big/40),
		"long bare key":      r("a", big) + " = 1",
		"long quoted key":    `"` + r("a", big) + `" = 1`,
		"long header":        "[checks." + r("a", big) + "]",
		"long string":        `version = "` + r("a", big) + `"`,
		"open string":        `version = "` + r("a", big),
		"open long string":   `version = """` + r("a\n", big/2),
		"quotes":             "a = " + r(`"`, big),
		"quotes in string":   `a = """` + r(`\"""`, big/4),
		"escapes":            `a = "` + r(`\`, big),
		"hidden brackets":    `a = ["` + r(`]",["`, big/5),
		"after bad string":   "a = \"x\ny = " + r("[", big),
		"after bad value":    "a = tru" + r("[", big),
		"many headers":       r("[a]\n", big/4),
		"many list headers":  r("[[a]]\nb=1\n", big/10),
		"many elements":      "a = [" + r("1,", big/2) + "]",
		"many inline lists":  "a = [" + r("{b=[1]},", big/8) + "]",
		"many comments":      r("#\n", big/2),
		"newlines":           r("\n", big),
		"carriage returns":   r("\r", big),
		"commas":             "a = [" + r(",", big),
		"dots":               r(".", big),
		"number":             "a = " + r("1", big),
		"underscores":        "a = 1" + r("_1", big/2),
		"date":               "a = 2020-01-01T" + r("0", big),
		"blanks":             "a = " + r(" ", big) + "1",
		"unknown keys":       "version=1\n" + manyKeys(big),
		"unknown needs":      "version=1\n" + manyNeeds(big),
		"one cycle":          "version=1\n" + manyNeeds(big) + "[checks.c0x]\n",
		"bracket header":     "[checks.a]\nx=" + r("[", maxDepth+2),
	}
}

func manyKeys(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString("k" + itoa(i) + "=1\n")
	}
	return b.String()
}

func manyNeeds(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString("[checks.c" + itoa(i) + "]\nneeds=['d" + itoa(i) + "','c" + itoa(i+1) + "']\n")
	}
	return b.String()
}

func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		start := time.Now()
		f, problems := loadText(t, text)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: took %v", name, took)
		}
		if len(problems) == 0 {
			t.Errorf("%s: no problem", name)
		}
		if f.Digest == "" {
			t.Errorf("%s: no digest", name)
		}
		for _, p := range problems {
			if len(p.String()) > 1000 {
				t.Errorf("%s: a message of %d bytes", name, len(p.String()))
			}
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, text := range hostile() {
		if len(text) < 64<<10 {
			f.Add([]byte(text))
		}
	}
	files, err := filepath.Glob("testdata/*.toml")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var file File
		var problems []Problem
		soon(t, func() { file, problems = parse(File{Path: "/r/" + Name}, data) })
		if len(problems) == 0 && file.Version != 1 {
			t.Fatal("no problem, and nothing was read")
		}
		lines := strings.Count(string(data), "\n") + 1
		for i, p := range problems {
			if p.Text == "" || p.Line < 0 || p.Line > lines || (p.Line == 0) != (p.Column == 0) {
				t.Fatalf("%+v in a file of %d lines", p, lines)
			}
			if i > 0 && p.Line < problems[i-1].Line {
				t.Fatal("not sorted")
			}
			if strings.ContainsAny(p.String(), "\n\r\x1b") {
				t.Fatalf("%q", p.String())
			}
		}
	})
}

// FuzzScan holds the scanner against the decoder: what the decoder accepts, the scanner has seen whole, key by key, or it
// refused it for a bound or a key that is there twice.
func FuzzScan(f *testing.F) {
	for _, text := range hostile() {
		if len(text) < 64<<10 {
			f.Add(text)
		}
	}
	for _, text := range []string{
		"a=1\n[b]\nc.d=2\n'e'.\"f\\u0041\"={g=[{h=1},{i='x'}],j.k=2}\n[[l]]\nm=1\n[[l]]\nm=2\n[l.n]\no=\"\"\"\nx\\\n\"\"\"\"\"\np=''''q'''\n",
		"a = [ # x\n 1, 2, # y\n]\nb = {\n c = 1, # z\n}\r\nd = 2020-01-01 10:00:00\n\"\" = 1\n",
	} {
		f.Add(text)
	}
	f.Fuzz(agree)
}

// agree is the law of FuzzScan. It reports nothing where the decoder refuses the text.
func agree(t *testing.T, text string) {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\xef\xbb\xbf"} {
		if strings.HasPrefix(text, mark) {
			return
		}
	}
	if strings.ContainsRune(text, 0) || len(text) > maxSize {
		return
	}
	s, vetted := scanText(text)
	if s.limit != nil || len(s.twice) > 0 {
		return
	}
	var values map[string]any
	var err error
	soon(t, func() { _, err = toml.Decode(text, &values) })
	if err != nil {
		return
	}
	if strings.HasSuffix(text[:s.i], `"""""`) && strings.HasPrefix(text[s.i:], `"`) {
		// Behind an escape, BurntSushi/toml 1.6.0 takes a sixth quote at the end of a string, which TOML does not have.
		if _, _, problems := decode("factgate.toml", []byte(text)); len(problems) == 0 {
			t.Fatalf("%q: accepted though it is not TOML", text)
		}
		return
	}
	if vetted != len(text) || s.i != len(text) {
		t.Fatalf("%q: accepted by the decoder, irregular for the scanner at %d of %d", text, s.i, len(text))
	}
	checkKnown(t, s.keys, nil, values)
	if got, want := countKeys(values), len(s.keys.first); got != want {
		t.Fatalf("%q: the decoder has %d keys and elements, the scanner %d", text, got, want)
	}
}

func countKeys(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += 1 + countKeys(e)
		}
	case []any:
		for _, e := range v {
			n += 1 + countKeys(e)
		}
	case []map[string]any:
		for _, e := range v {
			n += 1 + countKeys(e)
		}
	}
	return n
}

// TestScanSoup is the law of FuzzScan over random texts that look like TOML, the same ones each time.
func TestScanSoup(t *testing.T) {
	lines := []string{"[a]", "[a.b]", "[a.b.c]", "[[l]]", "[[l.m]]", "[l.n]", "['q'.\"r\"]", "[ a . d ] # x", "", "# c", "\r"}
	keys := []string{"a", "b", "c.d", "'e'", `"f\u0041"`, "g . h", "a.b", `""`, "l.x"}
	values := []string{
		"1", "true", "1.5e3", "inf", "-nan", "0x_1", "tru", "1979-05-27 07:32:00", "07:32:00",
		`"s"`, `"\""`, `"\\"`, `"a#b"`, `'a]b'`, `"[{"`, "'r'", `""`, "''",
		`"""m"""`, "\"\"\"\nx\\\n  y\"\"\"\"", `""""""`, `''''''`, `'''a'b''c'''`, `'''''x'''''`, "\"\"\"[\n{\"\"\"", `"""\""""`,
		"[", "[1,2]", "[ [ 1 ], # x\n [], ]", "[{a=1},{a=2}]", "{}", "{x=1}", "{x.y=1, z={w=[{v=1}]}}", "{ x = 1,\n y = 2, }",
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	accepted := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			if random.IntN(3) == 0 {
				b.WriteString(pick(lines))
			} else {
				b.WriteString(pick(keys) + " = " + pick(values))
			}
			b.WriteString("\n")
		}
		agree(t, b.String())
		var values map[string]any
		if _, err := toml.Decode(b.String(), &values); err == nil {
			accepted++
		}
	}
	if accepted < 2000 {
		t.Fatalf("only %d of the texts are TOML: this shows nothing", accepted)
	}
}

func checkKnown(t *testing.T, keys positions, path []string, v any) {
	if len(path) > 0 {
		if _, ok := keys.offset(join(path)); !ok {
			t.Fatalf("%q is not placed", path)
		}
	}
	at := func(name string) []string { return append(path[:len(path):len(path)], name) }
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			checkKnown(t, keys, at(k), e)
		}
	case []any:
		for i, e := range v {
			checkKnown(t, keys, at(element+itoa(i)), e)
		}
	case []map[string]any:
		for i, e := range v {
			checkKnown(t, keys, at(element+itoa(i)), e)
		}
	}
}

// soon fails the test where f hangs, which the fuzzing engine itself would not report.
func soon(t *testing.T, f func()) {
	t.Helper()
	done := make(chan any)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	select {
	case r := <-done:
		if r != nil {
			t.Fatalf("panic: %v", r)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("hangs")
	}
}

// TestVetted: behind an irregular place the decoder sees little, whatever stands there.
func TestVetted(t *testing.T) {
	for _, text := range []string{"a = \"x\ny = ", "[a", "= ", "a = {b", "a = 'x\n", "!"} {
		s, vetted := scanText(text + strings.Repeat("[", 1000))
		if s.limit == nil && vetted > len(text)+lookBehind {
			t.Errorf("%q: the decoder gets %d bytes", text, vetted)
		}
	}
}
