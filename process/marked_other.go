//go:build !linux

package process

// EndMarked would end what a run left whose factgate is gone; it needs the list of processes that Linux has.
func EndMarked(string, string, []string) (ended, left int) { return 0, 0 }
