package a

import "testing"

func TestOk(t *testing.T) {}

func TestPanics(t *testing.T) {
	t.Log("before")
	t.Run("s", func(t *testing.T) { t.Log("in"); panic("boom") })
}

func TestNever(t *testing.T) {}
