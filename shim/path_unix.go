//go:build !windows

package shim

import "os"

const (
	exeSuffix = ""
	homeVar   = "HOME"
)

// runnable reports whether p is a program.
func runnable(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
