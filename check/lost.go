package check

import (
	"fmt"
	"strings"

	"factgate/process"
	"factgate/record"
)

// lost tells of the runs of a key that began and left no record: the factgate that ran them was killed. What is left of
// them is ended. forget takes their marks away, once a record tells of them.
func (v *verify) lost(key string, daemons []string) (notes []string, forget func()) {
	var gone []record.Mark
	if v.Store != nil {
		marks, err := v.Store.Marks(alive)
		if err != nil {
			return nil, func() {}
		}
		for _, m := range marks {
			if m.Interrupted && m.Key == key {
				gone = append(gone, m)
				note := fmt.Sprintf("run %s of this check was started on this tree at %s and left no record: its factgate was killed",
					m.ID, m.Time.Format("2006-01-02 15:04:05"))
				if ended := v.endRest(m.ID, daemons); ended > 0 {
					note += many(ended, "; %d process that it left was ended now", "; %d processes that it left were ended now")
				}
				notes = append(notes, note)
			}
		}
	}
	return notes, func() {
		for _, m := range gone {
			_ = v.Store.End(m.ID) // a mark that stays is told of again
		}
	}
}

// endRest ends what is left of a lost run, unless we are it.
func (v *verify) endRest(id string, daemons []string) (ended int) {
	const variable = "FACTGATE_RUN" // see runMark
	if strings.Contains(lookup(v.Env, variable), "/"+id) {
		return 0
	}
	ended, _ = process.EndMarked(variable, "/"+id, daemons)
	return ended
}
