// Package tariff reads what a zone costs up to a weight.
package tariff

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
)

// ErrTooHeavy says that no band of the zone is heavy enough.
var ErrTooHeavy = errors.New("too heavy")

// ErrNoZone says that the tariff does not know the zone.
var ErrNoZone = errors.New("unknown zone")

// Band is a price up to a weight, the weight included.
type Band struct {
	UpTo  int // grams
	Cents int
}

// Tariff holds the bands of each zone, lightest first.
type Tariff map[string][]Band

// Price is the price of the first band that holds grams.
func (t Tariff) Price(zone string, grams int) (int, error) {
	bands, ok := t[zone]
	if !ok {
		return 0, fmt.Errorf("%w %s", ErrNoZone, zone)
	}
	at := sort.Search(len(bands), func(i int) bool { return bands[i].UpTo >= grams })
	if at == len(bands) {
		return 0, fmt.Errorf("%w: %d g to zone %s", ErrTooHeavy, grams, zone)
	}
	return bands[at].Cents, nil
}

// Zones lists the zones in alphabetical order.
func (t Tariff) Zones() []string {
	zones := make([]string, 0, len(t))
	for zone := range t {
		zones = append(zones, zone)
	}
	slices.Sort(zones)
	return zones
}

// Read reads "zone,up_to_grams,cents" lines. It refuses a file without bands and two prices for one weight.
func Read(r io.Reader) (Tariff, error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = 3
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read tariff: %w", err)
	}
	if !slices.Equal(header, []string{"zone", "up_to_grams", "cents"}) {
		return nil, fmt.Errorf("read tariff: header is %q", header)
	}
	t := Tariff{}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read tariff: %w", err)
		}
		if err := t.add(row); err != nil {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("read tariff: line %d: %w", line, err)
		}
	}
	if len(t) == 0 {
		return nil, errors.New("read tariff: no bands")
	}
	for _, bands := range t {
		slices.SortFunc(bands, func(a, b Band) int { return a.UpTo - b.UpTo })
	}
	return t, nil
}

func (t Tariff) add(row []string) error {
	upTo, err := strconv.Atoi(row[1])
	if err != nil || upTo <= 0 {
		return fmt.Errorf("weight %q", row[1])
	}
	cents, err := strconv.Atoi(row[2])
	if err != nil || cents < 0 {
		return fmt.Errorf("price %q", row[2])
	}
	if row[0] == "" {
		return errors.New("no zone")
	}
	for _, band := range t[row[0]] {
		if band.UpTo == upTo {
			return fmt.Errorf("zone %s has two prices up to %d g", row[0], upTo)
		}
	}
	t[row[0]] = append(t[row[0]], Band{upTo, cents})
	return nil
}
