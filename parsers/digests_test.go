package parsers

import (
	"math/rand/v2"
	"testing"
)

func TestDigests(t *testing.T) {
	var d digests
	seen := map[uint64]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		h := random.Uint64() >> 48 // many meet, and many fall on one place
		if seen[h|1] != !d.add(h|1) {
			t.Fatalf("%x", h|1)
		}
		seen[h|1] = true
	}
	if d.n != len(seen) || len(d.places) > 4*d.n+64 {
		t.Errorf("%d hashes in %d places, want %d", d.n, len(d.places), len(seen))
	}
	if !new(digests).add(0) || d.add(1) {
		t.Error("the hash 0")
	}
}
