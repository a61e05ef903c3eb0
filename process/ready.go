package process

import "os"

// Ready is what a run needs and can have before it is known what is to run: the pipe for its output, and its supervisor,
// which waits for the task. To start again takes some milliseconds; whoever has something else to do meanwhile calls
// Prepare first. It serves one Run.
type Ready struct {
	r       *source  // of the output
	w       *os.File // nil once the supervisor alone has it
	waiting waiting
	ending  func() // of a supervisor that has reported: waits until it has ended
	err     error  // why it is not there; the Run that gets it says so
}

// Prepare starts the executable self again as the supervisor of a run whose processes carry mark. The caller gives it to a
// Run, and closes it in any case.
func Prepare(self, mark string) *Ready {
	g := &Ready{}
	if g.r, g.w, g.err = openPipe(); g.err != nil {
		return g
	}
	widen(g.w, 4*manyBytes)
	g.err = g.wait(self, mark)
	return g
}

// Close ends what no Run took, and waits for the end of what one did.
func (g *Ready) Close() {
	if g.ending != nil {
		g.ending()
		g.ending = nil
	}
	if g.r != nil {
		g.r.Close()
	}
	if g.w != nil {
		g.w.Close()
	}
	g.r, g.w = nil, nil
	g.dismiss()
}
