package parsers

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// duration reads a time as writers spell it: 0.123, 1e-05, "0.", 12ms, 1:02:03.5, 1,234.56, 0,123 and 1 234,5. Plain
// numbers are seconds. odd is true for what is given and is no time, or is none that can be (negative, not finite).
// "1,234" alone may be either; it is read as a decimal, since only a test of more than a quarter of an hour would be
// written the other way.
func duration(s string) (d time.Duration, odd bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, false
	}
	unit := float64(time.Second)
	for _, u := range []struct {
		word string
		unit time.Duration
	}{{"ms", time.Millisecond}, {"us", time.Microsecond}, {"µs", time.Microsecond}, {"ns", time.Nanosecond}, {"sec", time.Second}, {"s", time.Second}} {
		if rest, ok := strings.CutSuffix(s, u.word); ok {
			s, unit = strings.TrimSpace(rest), float64(u.unit)
			break
		}
	}
	var total float64
	parts := strings.Split(s, ":")
	if len(parts) > 3 {
		return 0, true
	}
	for _, p := range parts {
		v, ok := decimal(p)
		if !ok {
			return 0, true
		}
		total = total*60 + v
	}
	total *= unit
	if math.IsNaN(total) || total < 0 || total > float64(math.MaxInt64/2) {
		return 0, true
	}
	return time.Duration(math.Round(total)), false
}

// decimal reads a number in the spelling of any locale.
func decimal(s string) (float64, bool) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v, true
	}
	s = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "").Replace(s)
	dot, comma := strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ',')
	switch {
	case dot >= 0 && comma > dot, comma >= 0 && dot < 0 && strings.Count(s, ",") == 1:
		s = strings.ReplaceAll(s, ".", "")
		s = strings.Replace(s, ",", ".", 1)
	default:
		s = strings.ReplaceAll(s, ",", "")
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}
