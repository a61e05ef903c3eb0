package runners

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// pythons lists the folders to put on PATH: the one that is there, and those that FACTGATE_TEST_PYTHONS names (a list of
// folders with python and pytest in them), to try the probe on other versions.
func pythonPaths() []string {
	all := []string{""}
	return append(all, filepath.SplitList(os.Getenv("FACTGATE_TEST_PYTHONS"))...)
}

func TestPytestEndings(t *testing.T) {
	for _, extra := range pythonPaths() {
		for _, s := range scenarios(t, "pytest") {
			t.Run(filepath.Base(s.path)+strings.TrimPrefix(extra, "/"), func(t *testing.T) {
				t.Parallel()
				var env []string
				path := os.Getenv("PATH")
				if extra != "" {
					path = extra + string(filepath.ListSeparator) + path
					env = append(env, "PATH="+path)
				}
				python := "python3"
				if extra != "" {
					python = filepath.Join(extra, "python3")
				}
				need(t, python, append([]string{"pytest"}, s.needs...))
				got := s.play(t, "pytest", filepath.Join(t.TempDir(), "pro ject é"), env)
				s.compare(t, got, extra == "")
			})
		}
	}
}

// need skips unless the interpreter has the modules. "pytest 9" asks for that major version or a newer one.
func need(t *testing.T, python string, modules []string) {
	t.Helper()
	for _, m := range modules {
		name, version, _ := strings.Cut(m, " ")
		code := "import " + name
		if version != "" {
			code += "; assert int(" + name + ".__version__.split('.')[0]) >= " + version
		}
		if err := exec.Command(python, "-c", code).Run(); err != nil {
			missing(t, python+" with "+m)
		}
	}
}

// compare holds what was seen against the archive, or rewrites the archive.
func (s scenario) compare(t *testing.T, got string, main bool) {
	t.Helper()
	if *update && main {
		s.ar.Files = append(withoutWant(s.ar.Files), txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(s.path, txtar.Format(s.ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(s.want, got); diff != "" {
		t.Errorf("(-want +got; -update rewrites)\n%s", diff)
	}
}

func withoutWant(files []txtar.File) []txtar.File {
	var kept []txtar.File
	for _, f := range files {
		if f.Name != "want" {
			kept = append(kept, f)
		}
	}
	return kept
}
