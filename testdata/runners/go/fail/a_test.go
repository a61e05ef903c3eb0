package a

import (
	"fmt"
	"testing"
)

func TestPass(t *testing.T) { t.Log("log of a pass"); fmt.Println("print of a pass") }

func TestFail(t *testing.T) {
	fmt.Println("raw print")
	t.Log("one\ntwo")
	t.Run("sub", func(t *testing.T) {
		t.Run("deep", func(t *testing.T) { t.Error("deep error") })
		t.Errorf("sub error")
	})
	t.Run("fine", func(t *testing.T) { t.Log("log of a fine one") })
	t.Error("end")
}

func TestPar1(t *testing.T) { t.Parallel(); t.Error("p1") }

func TestPar2(t *testing.T) { t.Parallel(); t.Log("p2") }

func Example() {
	fmt.Println("x")
	// Output: y
}

func BenchmarkX(b *testing.B) {
	for range b.N {
	}
}
