package check

import (
	"fmt"

	"factgate/record"
)

// lost tells of the runs of a key that began and left no record: the factgate that ran them was killed. forget takes their
// marks away, once a record tells of them.
func (v *verify) lost(key string) (notes []string, forget func()) {
	var gone []record.Mark
	if v.Store != nil {
		marks, err := v.Store.Marks(alive)
		if err != nil {
			return nil, func() {}
		}
		for _, m := range marks {
			if m.Interrupted && m.Key == key {
				gone = append(gone, m)
				notes = append(notes, fmt.Sprintf("run %s of this check was started on this tree at %s and left no record: its factgate was killed",
					m.ID, m.Time.Format("2006-01-02 15:04:05")))
			}
		}
	}
	return notes, func() {
		for _, m := range gone {
			_ = v.Store.End(m.ID) // a mark that stays is told of again
		}
	}
}
