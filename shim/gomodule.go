package shim

import (
	"os"
	"path/filepath"
	"strings"
)

// goModule is one of the main modules: the one that go test runs in, or those of its workspace.
type goModule struct{ path, dir string }

// packageFolders says where packages of the main modules lie: go test names a file by its base alone. A package that is
// not found has no folder.
func packageFolders(dir string, env, packages []string) map[string]string {
	if len(packages) == 0 {
		return nil
	}
	folders := map[string]string{}
	modules := mainModules(dir, env)
	for _, p := range packages {
		var best goModule
		for _, m := range modules {
			if (p == m.path || strings.HasPrefix(p, m.path+"/")) && len(m.path) > len(best.path) {
				best = m
			}
		}
		if best.path == "" {
			continue
		}
		folder := filepath.Join(best.dir, filepath.FromSlash(strings.TrimPrefix(p, best.path)))
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			folders[p] = folder
		}
	}
	return folders
}

// mainModules reads go.work and go.mod where go does.
func mainModules(dir string, env []string) (modules []goModule) {
	add := func(dir string) {
		if path := modulePath(filepath.Join(dir, "go.mod")); path != "" {
			modules = append(modules, goModule{path, dir})
		}
	}
	work := get(env, "GOWORK")
	if work == "" {
		work = above(dir, "go.work")
	}
	if work != "" && work != "off" {
		for _, used := range directives(work, "use") {
			if !filepath.IsAbs(used) {
				used = filepath.Join(filepath.Dir(work), filepath.FromSlash(used))
			}
			add(used)
		}
	}
	if mod := above(dir, "go.mod"); mod != "" {
		add(filepath.Dir(mod))
	}
	return modules
}

func modulePath(file string) string {
	if paths := directives(file, "module"); len(paths) > 0 {
		return paths[0]
	}
	return ""
}

// above finds a file in dir or the nearest folder above it.
func above(dir, name string) string {
	for ; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// directives reads the first word of each directive of one verb from a go.mod or go.work: "use ./a", or a line each in
// "use ( … )".
func directives(file, verb string) (words []string) {
	data, ok := readSmall(file)
	if !ok {
		return nil
	}
	inside := false
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
			continue
		case fields[0] == ")":
			inside = false
			continue
		case inside:
		case fields[0] == verb && len(fields) > 1:
			if fields[1] == "(" {
				inside = true
				continue
			}
			fields = fields[1:]
		default:
			continue
		}
		words = append(words, strings.Trim(fields[0], "\"`"))
	}
	return words
}
