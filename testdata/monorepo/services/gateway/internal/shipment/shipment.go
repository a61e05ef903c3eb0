// Package shipment knows what may happen to a parcel after what.
package shipment

import (
	"errors"
	"fmt"
	"time"
)

// State is where a parcel is.
type State string

// The states, in the order of a good day.
const (
	Created   State = "created"
	Labelled  State = "labelled"
	PickedUp  State = "picked_up"
	InTransit State = "in_transit"
	Delivered State = "delivered"
	Returning State = "returning"
	Returned  State = "returned"
	Cancelled State = "cancelled"
)

var next = map[State][]State{
	Created:   {Labelled, Cancelled},
	Labelled:  {PickedUp, Cancelled},
	PickedUp:  {InTransit},
	InTransit: {InTransit, Delivered, Returning},
	Returning: {Returning, Returned},
	Delivered: nil,
	Returned:  nil,
	Cancelled: nil,
}

// ErrMove is a move that cannot be.
var ErrMove = errors.New("no such move")

// ErrOrder is an event older than one before it.
var ErrOrder = errors.New("events out of order")

// Event is one move at one time.
type Event struct {
	To State
	At time.Time
}

// Shipment is a parcel on its way. The zero value has just been created.
type Shipment struct {
	events []Event
}

// State is the state now.
func (s *Shipment) State() State {
	if len(s.events) == 0 {
		return Created
	}
	return s.events[len(s.events)-1].To
}

// Final says whether nothing more can happen.
func (s *Shipment) Final() bool { return len(next[s.State()]) == 0 }

// Move makes one move or leaves the shipment as it was.
func (s *Shipment) Move(e Event) error {
	if n := len(s.events); n > 0 && e.At.Before(s.events[n-1].At) {
		return fmt.Errorf("%w: %s", ErrOrder, e.To)
	}
	for _, to := range next[s.State()] {
		if to == e.To {
			s.events = append(s.events, e)
			return nil
		}
	}
	return fmt.Errorf("%w: %s to %s", ErrMove, s.State(), e.To)
}

// Took is the time from the first event to the last.
func (s *Shipment) Took() time.Duration {
	if len(s.events) == 0 {
		return 0
	}
	return s.events[len(s.events)-1].At.Sub(s.events[0].At)
}
