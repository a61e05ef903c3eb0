package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"parcel/gateway/internal/limit"
	"parcel/gateway/internal/tariff"
)

const parcel = `{"zone":"A","grams":900,"length":100,"width":100,"height":100}`

func server(l *limit.Limiter) *Server {
	return New(tariff.Tariff{"A": {{UpTo: 1000, Cents: 800}, {UpTo: 2000, Cents: 1600}}}, l)
}

func ask(s http.Handler, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

func TestQuoteThereAndBack(t *testing.T) {
	s := server(nil)
	made := ask(s, "POST", "/quotes", parcel)
	if made.Code != http.StatusCreated {
		t.Fatal(made.Code, made.Body)
	}
	var quote Quote
	if err := json.Unmarshal(made.Body.Bytes(), &quote); err != nil {
		t.Fatal(err)
	}
	if quote.Cents != 850 || quote.Parcel.Grams != 900 {
		t.Error(quote)
	}
	read := ask(s, "GET", made.Header().Get("Location"), "")
	if read.Code != http.StatusOK || read.Body.String() != made.Body.String() {
		t.Error(read.Code, read.Body)
	}
}

func TestRefused(t *testing.T) {
	s := server(nil)
	for _, test := range []struct {
		name, method, path, body string
		code                     int
		says                     string
	}{
		{"no body", "POST", "/quotes", "", 400, "EOF"},
		{"not JSON", "POST", "/quotes", "zone=A", 400, "not a parcel"},
		{"a number as text", "POST", "/quotes", `{"zone":"A","grams":"900"}`, 400, "grams"},
		{"half a gram", "POST", "/quotes", `{"zone":"A","grams":0.5}`, 400, "grams"},
		{"unknown field", "POST", "/quotes", `{"zone":"A","colour":"red"}`, 400, "colour"},
		{"no size", "POST", "/quotes", `{"zone":"A","grams":900}`, 400, "length must be between"},
		{"too large a request", "POST", "/quotes", `{"zone":"` + strings.Repeat("A", maxBody) + `"}`, 413, "too large"},
		{"zone Ø", "POST", "/quotes", strings.Replace(parcel, `"A"`, `"Ø"`, 1), 422, "unknown zone Ø"},
		{"too heavy", "POST", "/quotes", strings.Replace(parcel, "900", "2001", 1), 422, "2001 g"},
		{"no such quote", "GET", "/quotes/q99", "", 404, "no such quote"},
		{"no such page", "GET", "/", "", 404, "not found"},
		{"wrong method", "PUT", "/quotes", parcel, 405, "Method Not Allowed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := ask(s, test.method, test.path, test.body)
			if w.Code != test.code || !strings.Contains(w.Body.String(), test.says) {
				t.Errorf("%d %s; want %d with %q", w.Code, w.Body, test.code, test.says)
			}
		})
	}
}

func TestRemoveTwice(t *testing.T) {
	s := server(nil)
	where := ask(s, "POST", "/quotes", parcel).Header().Get("Location")
	for range 2 {
		if w := ask(s, "DELETE", where, ""); w.Code != http.StatusNoContent {
			t.Error(w.Code)
		}
	}
	if w := ask(s, "GET", where, ""); w.Code != http.StatusNotFound {
		t.Error(w.Code)
	}
}

func TestHealth(t *testing.T) {
	w := ask(server(nil), "GET", "/healthz", "")
	if got := strings.TrimSpace(w.Body.String()); got != `{"status":"ok","zones":["A"]}` {
		t.Error(got)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Error(got)
	}
}

func TestLimit(t *testing.T) {
	now := time.Date(2025, 6, 2, 8, 0, 0, 0, time.UTC)
	s := server(limit.New(2, 90*time.Second, func() time.Time { return now }))
	for i, want := range []int{201, 201, 429} {
		if w := ask(s, "POST", "/quotes", parcel); w.Code != want {
			t.Fatalf("request %d: %d, want %d", i, w.Code, want)
		}
	}
	t.Run("says when", func(t *testing.T) {
		if got := ask(s, "GET", "/quotes/q1", "").Header().Get("Retry-After"); got != "90" {
			t.Error(got)
		}
	})
	t.Run("health is free", func(t *testing.T) {
		if w := ask(s, "GET", "/healthz", ""); w.Code != 200 {
			t.Error(w.Code)
		}
	})
	t.Run("later it goes on", func(t *testing.T) {
		now = now.Add(90 * time.Second)
		if w := ask(s, "GET", "/quotes/q1", ""); w.Code != 200 {
			t.Error(w.Code)
		}
	})
}

func TestQuotesAtOnceHaveTheirOwnIDs(t *testing.T) {
	s := server(nil)
	places := make([]string, 64)
	var wait sync.WaitGroup
	for i := range places {
		wait.Add(1)
		go func() {
			defer wait.Done()
			places[i] = ask(s, "POST", "/quotes", parcel).Header().Get("Location")
		}()
	}
	wait.Wait()
	seen := map[string]bool{}
	for _, place := range places {
		if place == "" || seen[place] {
			t.Errorf("%q twice or missing", place)
		}
		seen[place] = true
	}
}

func TestIDsAreNotUsedAgain(t *testing.T) {
	s := server(nil)
	ask(s, "POST", "/quotes", parcel)
	ask(s, "POST", "/quotes", parcel)
	ask(s, "DELETE", "/quotes/q1", "")
	if got := ask(s, "POST", "/quotes", parcel).Header().Get("Location"); got != "/quotes/q3" {
		t.Error(got)
	}
}
