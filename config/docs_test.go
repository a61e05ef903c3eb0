package config

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"factgate/facts"
)

const (
	docsFile   = "../docs/config.md"
	schemaFile = "../docs/factgate.schema.json"
)

// TestDocs holds the tables of docs/config.md against the list of keys. -update prints them anew between their marks.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	marks := regexp.MustCompile(`(?s)<!-- keys (\S+) -->\n.*?<!-- end -->`)
	var shown []string
	got := marks.ReplaceAllStringFunc(doc, func(block string) string {
		table := marks.FindStringSubmatch(block)[1]
		rows, paths := docTable(table)
		shown = append(shown, paths...)
		return "<!-- keys " + table + " -->\n" + rows + "<!-- end -->"
	})
	for _, k := range keys() {
		if !slices.Contains(shown, k.path) && k.kind != kindTable && k.kind != kindNamed {
			t.Errorf("%s is in no table of %s", k.path, docsFile)
		}
	}
	if *update {
		if err := os.WriteFile(docsFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != doc {
		t.Errorf("%s is stale: go test ./config -update", docsFile)
	}
	// The examples must be what they say: files without a mistake.
	examples := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(doc, -1)
	if len(examples) < 5 {
		t.Fatalf("%d examples found", len(examples))
	}
	for _, e := range examples {
		text := e[1]
		if !strings.Contains(text, "version = 1") {
			text = "version = 1\n" + text
		}
		if _, problems := loadText(t, text); len(problems) > 0 {
			t.Errorf("example:\n%s\n%s", text, Format(problems))
		}
	}
}

// TestDocsScripts holds the table of refused scripts, and what to write instead, against the code.
func TestDocsScripts(t *testing.T) {
	data, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "| refused | because | write |\n| --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) < 5 {
		t.Fatalf("%d rows found", len(rows))
	}
	code := regexp.MustCompile("`([^`]+)`")
	for _, row := range rows {
		scripts := code.FindAllStringSubmatch(strings.ReplaceAll(row, `\|`, "|"), -1)
		for i, s := range scripts {
			text, _ := masks([]string{"bash", "-c", s[1]})
			if refused := i == 0; refused != (text != "") && s[1] != "set -e" && s[1] != "if" {
				t.Errorf("%q: %q", s[1], text)
			}
		}
	}
}

// docTable prints the rows of one table: "top", "later", or the prefix of its keys with a dot at the end.
func docTable(name string) (rows string, paths []string) {
	var b strings.Builder
	if name == "later" {
		for _, k := range keys() {
			if k.kind == kindLater {
				paths = append(paths, k.path)
				b.WriteString("- `" + userPath(k.path) + "`: " + k.doc + "\n")
			}
		}
		return b.String(), paths
	}
	b.WriteString("| key | type | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, k := range keys() {
		rest, ok := strings.CutPrefix(k.path, name)
		if name == "top" {
			rest, ok = k.path, !strings.Contains(k.path, ".") && k.kind != kindTable && k.kind != kindNamed
		}
		if !ok || k.kind == kindLater || k.kind == kindTable || strings.Contains(rest, "*") {
			continue
		}
		paths = append(paths, k.path)
		b.WriteString("| `" + rest + "` | " + docType(k) + " | " + docDefault(k) + " | " + strings.ReplaceAll(k.doc, "|", `\|`) + " |\n")
	}
	return b.String(), paths
}

func userPath(path string) string {
	if path == "prepare" || path == "gate" {
		return "[" + path + "]"
	}
	return strings.ReplaceAll(path, "*", "NAME")
}

func docDefault(k key) string {
	switch {
	case k.required:
		return "required"
	case k.kind == kindWord || k.kind == kindDuration || k.kind == kindSize || k.kind == kindDir:
		return "`" + k.standard + "`"
	}
	return k.standard
}

func docType(k key) string {
	switch k.kind {
	case kindWord:
		return "`\"" + strings.Join(k.words, "\"`, `\"") + "\"`"
	case kindArgv, kindArgs, kindNames, kindChecks, kindGlobs:
		return "array of strings"
	case kindText, kindDir, kindGlob:
		return "string"
	case kindExits:
		return "table of strings"
	}
	return string(k.kind)
}

// TestSchema holds docs/factgate.schema.json against the list of keys.
func TestSchema(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, b.Bytes()) {
		t.Errorf("%s is stale: go test ./config -update", schemaFile)
	}
	var read map[string]any
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, k := range keys() {
		if k.kind != kindLater {
			want = append(want, k.path)
		}
	}
	got := schemaPaths("", read)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the schema has\n%q, the list\n%q", got, want)
	}
}

func schemaPaths(prefix string, s map[string]any) []string {
	var list []string
	properties, _ := s["properties"].(map[string]any)
	for name, v := range properties {
		at := under(prefix, name)
		list = append(list, at)
		sub := v.(map[string]any)
		list = append(list, schemaPaths(at, sub)...)
		if named, ok := sub["additionalProperties"].(map[string]any); ok && named["properties"] != nil {
			list = append(list, schemaPaths(at+".*", named)...)
		}
	}
	return list
}

func schema() map[string]any {
	s := schemaTable("")
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = "urn:factgate:config:v1"
	s["title"] = Name
	return s
}

// schemaTable is an object of the keys right below prefix.
func schemaTable(prefix string) map[string]any {
	properties := map[string]any{}
	var required []string
	for _, k := range keys() {
		parent, name := "", k.path
		if i := strings.LastIndexByte(k.path, '.'); i >= 0 {
			parent, name = k.path[:i], k.path[i+1:]
		}
		if parent != prefix || k.kind == kindLater {
			continue
		}
		v := schemaValue(k)
		v["description"] = k.doc
		properties[name] = v
		if k.required {
			required = append(required, name)
		}
	}
	s := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if required != nil {
		s["required"] = required
	}
	return s
}

func schemaValue(k key) map[string]any {
	list := func(atLeast int) map[string]any {
		s := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
		if atLeast > 0 {
			s["minItems"] = atLeast
		}
		return s
	}
	switch k.kind {
	case kindTable:
		return schemaTable(k.path)
	case kindNamed:
		return map[string]any{
			"type": "object", "propertyNames": map[string]any{"pattern": `^[A-Za-z0-9._:/][-A-Za-z0-9._:/]{0,127}$`},
			"additionalProperties": schemaTable(k.path + ".*"),
		}
	case kindWord:
		return map[string]any{"enum": k.words}
	case kindBool:
		return map[string]any{"type": "boolean"}
	case kindInt:
		return map[string]any{"type": "integer", "minimum": k.min, "maximum": k.max}
	case kindSize:
		return map[string]any{"oneOf": []any{
			map[string]any{"type": "integer", "minimum": k.min, "maximum": k.max},
			map[string]any{"type": "string", "pattern": "^[0-9]+ *([KMG]i?)?B$"},
		}}
	case kindDuration:
		return map[string]any{"type": "string", "pattern": `^([0-9]+d|0|([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$`}
	case kindArgv:
		return list(1)
	case kindGlobs:
		if k.path == "checks.*.inputs" {
			return list(1)
		}
		return list(0)
	case kindArgs, kindNames, kindChecks:
		return list(0)
	case kindEnv:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	case kindExits:
		return map[string]any{
			"type": "object", "propertyNames": map[string]any{"pattern": "^(0|[1-9][0-9]{0,9})$"},
			"additionalProperties": map[string]any{"enum": facts.Meanings()},
		}
	}
	return map[string]any{"type": "string", "minLength": 1}
}
