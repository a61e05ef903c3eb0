package parsers

import (
	"encoding/json"
	"fmt"
	"io"
)

// tokens walks a JSON document without holding more of it than one string.
type tokens struct{ *jsonReader }

func newTokens(r io.Reader) tokens { return tokens{newJSONReader(r)} }

// unexpected is content that is no JSON, or not of the shape that is read.
type unexpected struct{ text string }

func (u unexpected) Error() string { return u.text }

// Token gives the next token as encoding/json's Decoder does: a json.Delim, string, float64, bool or nil.
func (t tokens) Token() (json.Token, error) {
	c, err := t.next()
	switch {
	case err != nil:
		return nil, err
	case c == '{', c == '[', c == '}', c == ']':
		return json.Delim(c), nil
	case t.keyed(c):
		return t.key()
	}
	return t.plainValue(c)
}

// More reports whether the array or object that is open holds another element.
func (t tokens) More() bool {
	c, err := t.peek()
	return err == nil && c != ']' && c != '}'
}

// plainValue reads the string, number, boolean or null that begins with c.
func (t tokens) plainValue(c byte) (any, error) {
	switch c {
	case '"':
		return t.str(true)
	case 't', 'f', 'n':
		return t.word(c)
	}
	return t.num()
}

// object calls f with each key of the object that begins here; f reads or skips its value. The null value has no keys.
func (t tokens) object(f func(key string) error) error {
	return t.within('{', func() error {
		if _, err := t.next(); err != nil {
			return err
		}
		key, err := t.key()
		if err != nil {
			return err
		}
		return f(key)
	})
}

// array calls f at each element of the array that begins here; f reads or skips it. The null value has none.
func (t tokens) array(f func() error) error { return t.within('[', f) }

func (t tokens) within(begin byte, f func() error) error {
	c, err := t.next()
	if err != nil {
		return err
	}
	if c == 'n' {
		_, err := t.word(c)
		return err
	}
	if c != begin {
		return t.wrong(c, fmt.Sprintf("%q or null", rune(begin)))
	}
	for t.More() {
		if err := f(); err != nil {
			return err
		}
	}
	_, err = t.next()
	return err
}

// skip passes over one value.
func (t tokens) skip() error {
	depth := len(t.open)
	c, err := t.next()
	if err != nil {
		return err
	}
	return t.pass(c, depth)
}

// pass passes over the rest of a value that began with c, when that many brackets were open before it.
func (t tokens) pass(c byte, depth int) (err error) {
	for {
		switch {
		case c == '{', c == '[', c == '}', c == ']':
		case t.keyed(c):
			_, err = t.key()
		case c == '"':
			_, err = t.str(false)
		default:
			_, err = t.plainValue(c)
		}
		if err != nil || len(t.open) <= depth {
			return err
		}
		if c, err = t.next(); err != nil {
			return err
		}
	}
}

// scalar gives a string, number, boolean or null. Anything larger is passed over and reads as null.
func (t tokens) scalar() (any, error) {
	depth := len(t.open)
	c, err := t.next()
	switch {
	case err != nil:
		return nil, err
	case c == '{', c == '[', c == '}', c == ']':
		return nil, t.pass(c, depth)
	}
	return t.plainValue(c)
}

// text gives a string, "" for any other value.
func (t tokens) text() (string, error) {
	depth := len(t.open)
	c, err := t.next()
	switch {
	case err != nil:
		return "", err
	case c == '"':
		return t.str(true)
	}
	return "", t.pass(c, depth)
}

// number gives a number, 0 for any other value.
func (t tokens) number() (float64, error) {
	depth := len(t.open)
	c, err := t.next()
	switch {
	case err != nil:
		return 0, err
	case c == '-' || digit(c):
		return t.num()
	}
	return 0, t.pass(c, depth)
}

// texts gives at most max strings of an array, and how many there were.
func (t tokens) texts(max int) (list []string, n int, err error) {
	err = t.array(func() error {
		n++
		if len(list) >= max {
			return t.skip()
		}
		s, err := t.text()
		if err == nil {
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
