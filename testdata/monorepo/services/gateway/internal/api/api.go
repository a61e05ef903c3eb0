// Package api answers the gateway's HTTP requests.
package api

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"parcel/gateway/internal/limit"
	"parcel/gateway/internal/rate"
	"parcel/gateway/internal/tariff"
)

const maxBody = 4 << 10

// Server answers requests; it is safe for many at once.
type Server struct {
	tariff  tariff.Tariff
	limiter *limit.Limiter
	mux     *http.ServeMux

	mu     sync.Mutex
	last   int // number of the newest quote; numbers are not used again
	quotes map[string]Quote
}

// Quote is a price that was given.
type Quote struct {
	ID     string      `json:"id"`
	Parcel rate.Parcel `json:"parcel"`
	Cents  int         `json:"cents"`
}

// New makes a server. A nil limiter lets everyone in.
func New(t tariff.Tariff, l *limit.Limiter) *Server {
	s := &Server{tariff: t, limiter: l, mux: http.NewServeMux(), quotes: map[string]Quote{}}
	s.mux.HandleFunc("GET /healthz", s.health)
	s.mux.HandleFunc("POST /quotes", s.create)
	s.mux.HandleFunc("GET /quotes/{id}", s.read)
	s.mux.HandleFunc("DELETE /quotes/{id}", s.remove)
	return s
}

// ServeHTTP limits callers by their address; the health page is free.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.limiter != nil && r.URL.Path != "/healthz" {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		if wait, ok := s.limiter.Allow(host); !ok {
			w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
			refuse(w, http.StatusTooManyRequests, "too many requests")
			return
		}
	}
	s.mux.ServeHTTP(w, r)
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"status": "ok", "zones": s.tariff.Zones()})
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	body.DisallowUnknownFields()
	var parcel rate.Parcel
	if err := body.Decode(&parcel); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			refuse(w, http.StatusRequestEntityTooLarge, "request too large")
			return
		}
		refuse(w, http.StatusBadRequest, "not a parcel: "+err.Error())
		return
	}
	cents, err := rate.Net(parcel, s.tariff)
	switch {
	case errors.Is(err, tariff.ErrTooHeavy), errors.Is(err, tariff.ErrNoZone):
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.mu.Lock()
	s.last++
	quote := Quote{"q" + strconv.Itoa(s.last), parcel, cents}
	s.quotes[quote.ID] = quote
	s.mu.Unlock()
	w.Header().Set("Location", "/quotes/"+quote.ID)
	answer(w, http.StatusCreated, quote)
}

func (s *Server) read(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	quote, ok := s.quotes[r.PathValue("id")]
	s.mu.Unlock()
	if !ok {
		refuse(w, http.StatusNotFound, "no such quote")
		return
	}
	answer(w, http.StatusOK, quote)
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	delete(s.quotes, r.PathValue("id"))
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": message})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller has gone; nobody is left to tell
}
