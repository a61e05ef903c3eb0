package parsers

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// clock is what the times of one document show of how it writes numbers.
type clock struct {
	dot, comma bool // a time where it can only be the decimal sign
	doubtful   int  // cases whose time is read by the other sign a thousand times as long
}

// time reads the time of a case. It is doubtful when only the rest of the document can tell what its comma means.
func (d *junitDoc) time(value []byte, at int64) (t time.Duration, doubtful bool) {
	if len(value) == 0 {
		return 0, false
	}
	if t, dot, ok := plainSeconds(value); ok {
		d.clock.dot = d.clock.dot || dot
		return t, false
	}
	s := strings.TrimSpace(string(resolve(value)))
	t, odd := duration(s)
	if odd {
		d.note("odd_time", d.at(at), "a time could not be read, or is none: %q", clean64(value))
		return 0, false
	}
	dot, comma := strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ',')
	switch {
	case comma < 0:
		d.clock.dot = d.clock.dot || dot >= 0
	case dot > comma || strings.Count(s, ",") > 1:
		d.clock.dot = true
	case dot < 0 && comma > 0 && comma < 4 && s[0] != '0' && len(s) == comma+4:
		d.clock.doubtful++
		return t, true
	default:
		d.clock.comma = true
	}
	return t, false
}

// settle decides what a comma meant in the doubtful times: where a dot is the decimal sign, it divides thousands.
func (d *junitDoc) settle() {
	if d.clock.doubtful == 0 {
		return
	}
	if d.clock.dot && !d.clock.comma {
		d.slow = 1000
		return
	}
	if !d.clock.comma {
		d.note("doubtful_time", 0, "%d times are written like 1,234: the comma was read as the decimal sign", d.clock.doubtful)
	}
}

// plainSeconds reads a time of at most nine digits with at most one dot among them, the usual spelling.
func plainSeconds(b []byte) (t time.Duration, dot, ok bool) {
	if len(b) == 0 || len(b) > 10 {
		return 0, false, false
	}
	v, at := int64(0), len(b)-1 // a dot
	for i, x := range b {
		if x -= '0'; x <= 9 {
			v = v*10 + int64(x)
			continue
		}
		if x+'0' != '.' || dot || i == 0 {
			return 0, false, false
		}
		at, dot = i, true
	}
	if !dot && len(b) > 9 {
		return 0, false, false
	}
	for range 9 - (len(b) - 1 - at) {
		v *= 10
	}
	return time.Duration(v), dot, true
}

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
