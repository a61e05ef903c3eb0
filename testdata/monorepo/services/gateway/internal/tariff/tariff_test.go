package tariff

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const header = "zone,up_to_grams,cents\n"

func TestPrice(t *testing.T) {
	tariff, err := Read(strings.NewReader(header + "A,2000,1600\nA,1000,800\nB,500,900\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		zone  string
		grams int
		cents int
		err   error
	}{
		{"lightest", "A", 1, 800, nil},
		{"the end of a band is inside", "A", 1000, 800, nil},
		{"one gram more", "A", 1001, 1600, nil},
		{"heaviest", "A", 2000, 1600, nil},
		{"too heavy", "A", 2001, 0, ErrTooHeavy},
		{"another zone", "B", 500, 900, nil},
		{"zone Ü is unknown", "Ü", 1, 0, ErrNoZone},
	} {
		t.Run(test.name, func(t *testing.T) {
			cents, err := tariff.Price(test.zone, test.grams)
			if cents != test.cents || !errors.Is(err, test.err) {
				t.Errorf("Price(%s, %d) = %d, %v; want %d, %v", test.zone, test.grams, cents, err, test.cents, test.err)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty":         {"", "EOF"},
		"header":        {"zone,grams,cents\nA,1,1\n", "header is"},
		"no bands":      {header, "no bands"},
		"columns":       {header + "A,1\n", "wrong number of fields"},
		"weight":        {header + "A,1000,1\nA,1kg,1\n", `line 3: weight "1kg"`},
		"zero weight":   {header + "A,0,1\n", "line 2: weight"},
		"price":         {header + "A,1,free\n", `line 2: price "free"`},
		"refund":        {header + "A,1,-1\n", "line 2: price"},
		"zone":          {header + ",1,1\n", "line 2: no zone"},
		"twice":         {header + "A,1,1\nA,1,2\n", "two prices up to 1 g"},
		"an open quote": {header + "\"A,1,1\n", "line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			tariff, err := Read(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) || tariff != nil {
				t.Errorf("Read = %v, %v; want an error with %q", tariff, err, test.want)
			}
		})
	}
}

func TestZonesAreSorted(t *testing.T) {
	tariff := Tariff{"D": nil, "A": nil, "C": nil}
	if got := tariff.Zones(); !slices.Equal(got, []string{"A", "C", "D"}) {
		t.Error(got)
	}
}

func ExampleRead() {
	tariff, _ := Read(strings.NewReader("zone,up_to_grams,cents\nA,500,395\nA,2000,545\n"))
	fmt.Println(tariff.Price("A", 501))
	// Output: 545 <nil>
}

func FuzzRead(f *testing.F) {
	f.Add(header + "A,1000,1\n")
	f.Add(header + "A,1000,1\nA,1000,2\n")
	f.Add("\x00\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		tariff, err := Read(strings.NewReader(text))
		if (err == nil) != (len(tariff) > 0) {
			t.Errorf("%d zones and %v", len(tariff), err)
		}
	})
}
