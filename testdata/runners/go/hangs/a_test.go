package a

import (
	"testing"
	"time"
)

func TestHangs(t *testing.T) { t.Log("waiting"); time.Sleep(time.Hour) }
