package shim

import "os"

const (
	exeSuffix = ".exe"
	homeVar   = "USERPROFILE"
)

// runnable reports whether p is a program.
func runnable(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular()
}
