package parsers

// digests is a set of hashes: eight bytes a place, at most half of them taken.
type digests struct {
	places []uint64 // 0 is a free one
	n      int
}

// add is false when the hash was there.
func (d *digests) add(h uint64) bool {
	if h == 0 {
		h = 1
	}
	if 2*d.n >= len(d.places) {
		old := d.places
		d.places, d.n = make([]uint64, max(2*len(old), 64)), 0
		for _, o := range old {
			if o != 0 {
				d.add(o)
			}
		}
	}
	mask := uint64(len(d.places) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch d.places[i] {
		case h:
			return false
		case 0:
			d.places[i] = h
			d.n++
			return true
		}
	}
}
