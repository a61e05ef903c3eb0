package a

import (
	"fmt"
	"os"
	"testing"
)

func TestA(t *testing.T) {
	t.Log("a log that only -v shows")
	fmt.Println("printed by a test")
	_ = os.Getenv("PATH") // go keeps the value with the cached result
}

func TestB(t *testing.T) {
	t.Run("x", func(t *testing.T) {})
	t.Run("y", func(t *testing.T) { t.Skip("not here") })
}
