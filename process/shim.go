package process

import (
	"io"
	"os"
)

// PassSpec says which program stands in our place. It works in our directory, with our standard input and error.
type PassSpec struct {
	Path   string // of the file to execute; "" = Argv[0], looked up in Env's PATH
	Argv   []string
	Env    []string
	Stdout io.Writer // for Pass: gets what it prints; its first error breaks the program's pipe. nil = our standard output
	Stderr io.Writer // the same for its standard error
}

func (s PassSpec) program() (program, error) {
	if s.Path == "" || len(s.Argv) == 0 {
		return resolve(s.Argv, s.Env, "")
	}
	path, err := found(s.Path)
	return program{path: path, argv: s.Argv, env: s.Env}, err
}

// outputs are the program's ends of its output streams: pipes where a writer gets them. Pumps that were started must be
// stopped, after the ends were closed here.
func (s PassSpec) outputs() (ends [3]*os.File, pumps []*pump, err error) {
	for at, sink := range map[int]io.Writer{1: s.Stdout, 2: s.Stderr} {
		if sink == nil {
			continue
		}
		r, w, err := openPipe()
		if err != nil {
			return ends, pumps, err
		}
		ends[at], pumps = w, append(pumps, startPump(r, someBytes, func(p []byte) bool {
			_, err := sink.Write(p)
			return err == nil
		}))
	}
	return ends, pumps, nil
}

// pumped closes our copies of the program's ends, so that the pumps see the end of what it prints.
func pumped(ends [3]*os.File) {
	for _, end := range ends {
		if end != nil {
			end.Close()
		}
	}
}

func stopAll(pumps []*pump) {
	for _, p := range pumps {
		p.stop(drainLimit)
	}
}
