package process

// relation is what a child shares with us.
type relation int

const (
	ownSession relation = iota // leader of a session, and so of a group; on Windows in a job and a console group of its own
	ownGroup                   // leader of a group in our session; on Windows as ownSession
	ourGroup                   // in our own group: what the terminal sends to us reaches it, too; on Windows in no job
)

// how says in which relation to us a child is started.
type how struct {
	relation   relation
	mark       string   // see Spec
	dies       bool     // on Linux, it is killed when the thread that started it ends: for a caller that keeps its thread
	supervises bool     // it is a supervisor: on Linux, it is not left stopped
	group      *control // nil: ours
}
