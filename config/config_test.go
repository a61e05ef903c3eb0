package config

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata and the printed docs anew")

func itoa(i int) string { return strconv.Itoa(i) }

// loadText loads a file with this text from a new folder.
func loadText(t testing.TB, text string) (File, []Problem) {
	t.Helper()
	path := filepath.Join(t.TempDir(), Name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

// TestGolden holds testdata/NAME.toml against testdata/NAME.txt: all its problems, or "no problem".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := loadText(t, string(data))
		got := Format(problems)
		if got == "" {
			got = "no problem\n"
		}
		golden := strings.TrimSuffix(file, ".toml") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%swant\n%s", file, got, want)
		}
	}
}
