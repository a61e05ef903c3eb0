//go:build !race

package parsers

// racing reports whether the race detector is on, under which everything takes many times as long.
const racing = false
