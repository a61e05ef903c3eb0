package rate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	"parcel/gateway/internal/tariff"
)

const tariffs = "../../../../tariffs/"

func prices(t testing.TB) tariff.Tariff {
	t.Helper()
	file, err := os.Open(tariffs + "tariff.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, err := tariff.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestVectors(t *testing.T) {
	file, err := os.Open(tariffs + "vectors.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 20 {
		t.Fatalf("only %d vectors", len(rows))
	}
	table := prices(t)
	for _, row := range rows[1:] {
		t.Run(row[0], func(t *testing.T) {
			var n [4]int
			for i := range n {
				if n[i], err = strconv.Atoi(row[i+2]); err != nil {
					t.Fatal(err)
				}
			}
			cents, err := Net(Parcel{row[1], n[0], n[1], n[2], n[3]}, table)
			got := strconv.Itoa(cents)
			if errors.Is(err, tariff.ErrTooHeavy) {
				got = "too_heavy"
			} else if err != nil {
				t.Fatal(err)
			}
			if got != row[6] {
				t.Errorf("got %s, want %s", got, row[6])
			}
		})
	}
}

func TestShareTiesToEven(t *testing.T) {
	for _, test := range []struct{ cents, points, want int }{
		{1, 5000, 0}, {3, 5000, 2}, {5, 5000, 2}, {-1, 5000, 0}, {-3, 5000, -2}, {-5, 5000, -2},
		{100, 1900, 19}, {333, 10_000, 333}, {0, 625, 0}, {7, 0, 0}, {-7, 1000, -1},
	} {
		t.Run(fmt.Sprintf("%d×%d", test.cents, test.points), func(t *testing.T) {
			if got := Share(test.cents, test.points); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestShareIsNeverMoreThanHalfACentOff(t *testing.T) {
	for cents := -2000; cents <= 2000; cents++ {
		for points := 0; points <= 2500; points += 25 {
			off := Share(cents, points)*10_000 - cents*points
			if off > 5000 || off < -5000 {
				t.Fatalf("Share(%d, %d) is off by %d", cents, points, off)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	good := Parcel{"A", 1, 1, 1, 1}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Parcel){
		"grams":  func(p *Parcel) { p.Grams = 0 },
		"length": func(p *Parcel) { p.Length = -1 },
		"width":  func(p *Parcel) { p.Width = 10_001 },
		"height": func(p *Parcel) { p.Height = 1 << 40 },
	} {
		t.Run(name, func(t *testing.T) {
			bad := good
			spoil(&bad)
			if _, err := Net(bad, nil); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestTurnedParcelsWeighTheSame(t *testing.T) {
	for length := 1; length < 1500; length += 97 {
		for width := 1; width < 900; width += 89 {
			for height := 1; height < 500; height += 83 {
				a, b := Parcel{"A", 1, length, width, height}, Parcel{"A", 1, height, length, width}
				if a.Chargeable() != b.Chargeable() || a.Oversize() != b.Oversize() {
					t.Fatal(a, b)
				}
			}
		}
	}
}

func BenchmarkNet(b *testing.B) {
	table := prices(b)
	for b.Loop() {
		if _, err := Net(Parcel{"B", 6000, 1950, 150, 100}, table); err != nil {
			b.Fatal(err)
		}
	}
}
