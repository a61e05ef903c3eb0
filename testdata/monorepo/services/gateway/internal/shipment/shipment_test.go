package shipment

import (
	"errors"
	"fmt"
	"math/rand"
	"testing"
	"time"
)

var start = time.Date(2025, 6, 2, 8, 0, 0, 0, time.UTC)

func walk(s *Shipment, states ...State) error {
	for i, to := range states {
		if err := s.Move(Event{to, start.Add(time.Duration(i) * time.Hour)}); err != nil {
			return err
		}
	}
	return nil
}

func TestWays(t *testing.T) {
	for _, test := range []struct {
		name  string
		way   []State
		final bool
	}{
		{"just created", nil, false},
		{"a good day", []State{Labelled, PickedUp, InTransit, InTransit, Delivered}, true},
		{"nobody at home", []State{Labelled, PickedUp, InTransit, Returning, Returning, Returned}, true},
		{"changed their mind", []State{Cancelled}, true},
		{"label thrown away", []State{Labelled, Cancelled}, true},
		{"on the road", []State{Labelled, PickedUp, InTransit}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Shipment
			if err := walk(&s, test.way...); err != nil {
				t.Fatal(err)
			}
			if s.Final() != test.final {
				t.Errorf("%s: final %t", s.State(), s.Final())
			}
		})
	}
}

func TestForbidden(t *testing.T) {
	for _, way := range [][]State{
		{PickedUp},
		{Created},
		{Labelled, Delivered},
		{Labelled, PickedUp, Cancelled},
		{Labelled, PickedUp, InTransit, Delivered, Returning},
		{Cancelled, Labelled},
		{Labelled, PickedUp, InTransit, Returning, Delivered},
		{"lost"},
	} {
		t.Run(fmt.Sprint(way), func(t *testing.T) {
			var s Shipment
			if err := walk(&s, way[:len(way)-1]...); err != nil {
				t.Fatal(err)
			}
			before := s.State()
			err := s.Move(Event{way[len(way)-1], start.AddDate(1, 0, 0)})
			if !errors.Is(err, ErrMove) || s.State() != before {
				t.Errorf("%v; now %s, was %s", err, s.State(), before)
			}
		})
	}
}

func TestTimeDoesNotRunBack(t *testing.T) {
	var s Shipment
	if err := walk(&s, Labelled, PickedUp); err != nil {
		t.Fatal(err)
	}
	if err := s.Move(Event{InTransit, start}); !errors.Is(err, ErrOrder) {
		t.Error(err)
	}
	if err := s.Move(Event{InTransit, start.Add(time.Hour)}); err != nil {
		t.Error("the same moment is fine:", err)
	}
	if s.Took() != time.Hour {
		t.Error(s.Took())
	}
}

// Whatever is tried, a shipment never leaves a final state and never has more events than moves that were accepted.
func TestRandomWalks(t *testing.T) {
	all := []State{Created, Labelled, PickedUp, InTransit, Delivered, Returning, Returned, Cancelled}
	random := rand.New(rand.NewSource(7))
	ends := map[State]int{}
	for range 3000 {
		var s Shipment
		accepted := 0
		for step := range 40 {
			final := s.Final()
			err := s.Move(Event{all[random.Intn(len(all))], start.Add(time.Duration(step))})
			if err == nil {
				accepted++
			}
			if final && err == nil {
				t.Fatal("left a final state")
			}
		}
		if accepted != len(s.events) {
			t.Fatal(accepted, s.events)
		}
		ends[s.State()]++
	}
	for _, state := range []State{Delivered, Returned, Cancelled} {
		if ends[state] == 0 {
			t.Errorf("no walk ended %s", state)
		}
	}
}

func ExampleShipment_Move() {
	var s Shipment
	fmt.Println(s.Move(Event{Delivered, start}))
	fmt.Println(s.State())
	// Output:
	// no such move: created to delivered
	// created
}
