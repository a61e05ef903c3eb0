package process

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"

	"factgate/facts"
)

func hasSlash(name string) bool { return strings.ContainsAny(name, `:\/`) }

// variable is the name under which an entry of the environment is known; "=C:=C:\" is the directory of a drive.
func variable(entry string) string {
	if entry == "" {
		return ""
	}
	i := strings.IndexByte(entry[1:], '=')
	if i < 0 {
		return strings.ToUpper(entry)
	}
	return strings.ToUpper(entry[:i+1])
}

// found accepts a file with the extension of a program, and else looks for one beside it.
func found(path string) (string, error) {
	extensions := []string{".com", ".exe", ".bat", ".cmd"}
	for _, e := range append([]string{""}, extensions...) {
		info, err := os.Stat(path + e)
		if err != nil || e == "" && filepath.Ext(path) == "" {
			continue
		}
		if info.IsDir() {
			return "", refuse(facts.NotExecutable, "%s: is a directory", path)
		}
		return path + e, nil
	}
	return "", refuse(facts.NotFound, "%s: not found", path)
}

// explain says why the system refused a program that was found.
func explain(p program, err error) error {
	kind := facts.StartFailed
	switch {
	case errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE):
		kind = facts.ArgsTooLong
	case errors.Is(err, windows.ERROR_BAD_EXE_FORMAT), errors.Is(err, windows.ERROR_ACCESS_DENIED), errors.Is(err, windows.ERROR_EXE_MACHINE_TYPE_MISMATCH):
		kind = facts.NotExecutable
	case errors.Is(err, windows.ERROR_FILE_NOT_FOUND), errors.Is(err, windows.ERROR_PATH_NOT_FOUND):
		kind = facts.NotFound
	case errors.Is(err, windows.ERROR_NOT_ENOUGH_MEMORY), errors.Is(err, windows.ERROR_NO_SYSTEM_RESOURCES):
		kind = facts.NoProcesses
	case errors.Is(err, windows.ERROR_DIRECTORY):
		kind = facts.NoDir
	}
	return refuse(kind, "%s: %v", p.path, err)
}
