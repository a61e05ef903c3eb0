// Package rate says what a parcel costs before discount and tax.
package rate

import (
	"fmt"
	"slices"

	"parcel/gateway/internal/tariff"
)

const (
	mm3PerGram = 5000 // a litre counts as 200 g
	longestMM  = 1200
	girthMM    = 3000
	oversize   = 950 // cents
	fuel       = 625 // hundredths of a percent
)

// Parcel is what is sent: grams and millimetres.
type Parcel struct {
	Zone   string `json:"zone"`
	Grams  int    `json:"grams"`
	Length int    `json:"length"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// Check names the first measure that cannot be.
func (p Parcel) Check() error {
	for _, measure := range []struct {
		name  string
		value int
		most  int
	}{
		{"grams", p.Grams, 1_000_000},
		{"length", p.Length, 10_000},
		{"width", p.Width, 10_000},
		{"height", p.Height, 10_000},
	} {
		if measure.value <= 0 || measure.value > measure.most {
			return fmt.Errorf("%s must be between 1 and %d, not %d", measure.name, measure.most, measure.value)
		}
	}
	return nil
}

// Chargeable is the greater of weight and volumetric weight, in grams; a started gram counts.
func (p Parcel) Chargeable() int {
	volume := p.Length * p.Width * p.Height
	return max(p.Grams, (volume+mm3PerGram-1)/mm3PerGram)
}

// Oversize says whether the parcel is too long or too thick for the belt.
func (p Parcel) Oversize() bool {
	sides := []int{p.Length, p.Width, p.Height}
	slices.Sort(sides)
	return sides[2] > longestMM || sides[2]+2*(sides[0]+sides[1]) > girthMM
}

// Net is the price in cents, fuel included.
func Net(p Parcel, t tariff.Tariff) (int, error) {
	if err := p.Check(); err != nil {
		return 0, err
	}
	cents, err := t.Price(p.Zone, p.Chargeable())
	if err != nil {
		return 0, err
	}
	if p.Oversize() {
		cents += oversize
	}
	return cents + Share(cents, fuel), nil
}

// Share is the given share of cents, in hundredths of a percent; half a cent goes to the even neighbour.
func Share(cents, basisPoints int) int {
	product := cents * basisPoints
	whole, rest := product/10_000, product%10_000
	step := 1
	if product < 0 {
		rest, step = -rest, -1
	}
	if rest > 5_000 || rest == 5_000 && whole%2 != 0 {
		whole += step
	}
	return whole
}
