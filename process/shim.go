package process

import (
	"io"
)

// PassSpec says which program stands in our place. It works in our directory, with our standard input and error.
type PassSpec struct {
	Path   string // of the file to execute; "" = Argv[0], looked up in Env's PATH
	Argv   []string
	Env    []string
	Stdout io.Writer // for Pass: gets what it prints; its first error breaks the program's pipe. nil = our standard output
}

func (s PassSpec) program() (program, error) {
	if s.Path == "" || len(s.Argv) == 0 {
		return resolve(s.Argv, s.Env, "")
	}
	path, err := found(s.Path)
	return program{path: path, argv: s.Argv, env: s.Env}, err
}
