package parsers

import (
	"encoding/json"
	"fmt"
	"io"
)

// tokens walks a JSON document without holding more of it than one string.
type tokens struct{ *json.Decoder }

func newTokens(r io.Reader) tokens { return tokens{json.NewDecoder(r)} }

// unexpected is content that is JSON, but not of the shape that is read.
type unexpected struct{ text string }

func (u unexpected) Error() string { return u.text }

// object calls f with each key of the object that begins here; f reads or skips its value. The null value has no keys.
func (t tokens) object(f func(key string) error) error {
	return t.within('{', func() error {
		k, err := t.Token()
		if err != nil {
			return err
		}
		return f(k.(string)) // the decoder gives nothing else in an object
	})
}

// array calls f at each element of the array that begins here; f reads or skips it. The null value has none.
func (t tokens) array(f func() error) error { return t.within('[', f) }

func (t tokens) within(begin json.Delim, f func() error) error {
	first, err := t.Token()
	if err != nil {
		return err
	}
	if first == nil {
		return nil
	}
	if first != begin {
		return unexpected{fmt.Sprintf("found %.40v where %v should begin", first, begin)}
	}
	for t.More() {
		if err := f(); err != nil {
			return err
		}
	}
	_, err = t.Token()
	return err
}

// skip passes over one value.
func (t tokens) skip() error {
	_, err := t.scalar()
	return err
}

// scalar gives a string, number, boolean or null. Anything larger is passed over and reads as null.
func (t tokens) scalar() (any, error) {
	for depth := 0; ; {
		k, err := t.Token()
		if err != nil {
			return nil, err
		}
		switch k {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth == 0 {
				return nil, nil
			}
		default:
			if depth == 0 {
				return k, nil
			}
		}
	}
}

// text gives a string, "" for any other value.
func (t tokens) text() (string, error) {
	v, err := t.scalar()
	s, _ := v.(string)
	return s, err
}

// number gives a number, 0 for any other value.
func (t tokens) number() (float64, error) {
	v, err := t.scalar()
	n, _ := v.(float64)
	return n, err
}

// texts gives at most max strings of an array, and how many there were.
func (t tokens) texts(max int) (list []string, n int, err error) {
	err = t.array(func() error {
		s, err := t.text()
		if n++; err == nil && len(list) < max {
			list = append(list, s)
		}
		return err
	})
	return list, n, err
}

// textOrTexts gives what a writer puts as one string or as an array of at most max.
func (t tokens) textOrTexts(max int) (list []string, err error) {
	first, err := t.Token()
	if err != nil {
		return nil, err
	}
	switch v := first.(type) {
	case string:
		if v != "" {
			list = []string{v}
		}
		return list, nil
	case json.Delim:
		if v != '[' {
			return nil, unexpected{fmt.Sprintf("found %v where a string or an array should be", v)}
		}
	default:
		return nil, nil
	}
	for t.More() {
		s, err := t.text()
		if err != nil {
			return nil, err
		}
		if len(list) < max {
			list = append(list, s)
		}
	}
	_, err = t.Token()
	return list, err
}

// ended reports whether nothing but space follows.
func (t tokens) ended() bool {
	_, err := t.Token()
	return err == io.EOF
}
