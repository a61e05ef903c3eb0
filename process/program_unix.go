//go:build linux || darwin

package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"factgate/facts"
)

func hasSlash(name string) bool { return strings.Contains(name, "/") }

// variable is the name under which an entry of the environment is known.
func variable(entry string) string {
	name, _, _ := strings.Cut(entry, "=")
	return name
}

// found accepts a file that may be executed.
func found(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, unix.EACCES):
		return "", refuse(facts.NotExecutable, "%s: permission denied", path)
	case err != nil:
		return "", refuse(facts.NotFound, "%v", err)
	case info.IsDir():
		return "", refuse(facts.NotExecutable, "%s: is a directory", path)
	}
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS); err != nil && err != unix.ENOSYS && err != unix.EPERM {
		return "", refuse(facts.NotExecutable, "%s: may not be executed: %v", path, err)
	}
	return path, nil
}

// explain says why exec refused a program that was found.
func explain(p program, err error) error {
	var errno unix.Errno
	if !errors.As(err, &errno) {
		return err
	}
	switch errno {
	case unix.E2BIG:
		return refuse(facts.ArgsTooLong, "%s: arguments and environment are too long: %v", p.argv[0], err)
	case unix.EAGAIN, unix.ENOMEM:
		return refuse(facts.NoProcesses, "%s: no more processes: %v", p.argv[0], err)
	}
	if err := checkDir(p.dir); err != nil {
		return err
	}
	line := interpreter(p.path)
	switch errno {
	case unix.ENOEXEC:
		if line == "" {
			return refuse(facts.NotExecutable, "%s: neither a program for this machine nor a script with a #! line", p.path)
		}
		return refuse(facts.BadInterpreter, "%s: its interpreter %q cannot be executed", p.path, line)
	case unix.ENOENT, unix.ENOTDIR:
		if _, gone := os.Stat(p.path); gone != nil {
			return refuse(facts.NotFound, "%v", gone)
		}
		if strings.HasSuffix(line, "\r") {
			return refuse(facts.BadInterpreter, "%s: its first line names %q, with a carriage return at the end", p.path, line)
		}
		if line == "" {
			return refuse(facts.BadInterpreter, "%s: the loader that it names is not there", p.path)
		}
		return refuse(facts.BadInterpreter, "%s: its interpreter %q is not there", p.path, line)
	case unix.EACCES:
		if line != "" {
			if _, bad := found(line); bad != nil {
				return refuse(facts.BadInterpreter, "%s: its interpreter: %v", p.path, bad)
			}
		}
		return refuse(facts.NotExecutable, "%s: %v", p.path, err)
	}
	return refuse(facts.StartFailed, "%s: %v", p.path, err)
}

// interpreter returns the program that a script's first line names, or "".
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 256)) // as much as the kernel looks at
	if err != nil || !bytes.HasPrefix(head, []byte("#!")) {
		return ""
	}
	line, _, _ := bytes.Cut(head[2:], []byte("\n"))
	name, _, _ := strings.Cut(strings.Trim(string(line), " \t"), " ")
	return name
}
