// Command shop is a program as yours may be, with an assistant in it. This file is the program before that: a database, people who sign in,
// a page. The assistant is in assistant.go and billing.go, and main.go puts the two together.
package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

//go:embed schema.sql
var schema string

// employee is somebody who works here.
type employee struct{ ID, Name, Job, Region string }

// shop is the program: its database, and who is signed in.
type shop struct {
	db    *sql.DB
	staff map[string]employee // by id

	mu       sync.Mutex
	sessions map[string]string // session → id
}

func openShop(ctx context.Context, path string) (*shop, error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &shop{db: db, sessions: map[string]string{}, staff: map[string]employee{
		"ann": {"ann", "Ann", "accounts", "north"}, "bob": {"bob", "Bob", "accounts", "south"}, "cal": {"cal", "Cal", "warehouse", "north"},
	}}, nil
}

// routes are the pages of the program.
func (s *shop) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.home)
	mux.HandleFunc("POST /login", s.login)
	return mux
}

// signedIn is who a request is from.
func (s *shop) signedIn(r *http.Request) (employee, bool) {
	c, err := r.Cookie("session")
	if err != nil {
		return employee{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.staff[s.sessions[c.Value]]
	return e, ok
}

// login stands for your own: it takes anybody's word for who they are.
func (s *shop) login(w http.ResponseWriter, r *http.Request) {
	e, ok := s.staff[r.FormValue("id")]
	if !ok {
		http.Error(w, "nobody of that name works here", http.StatusForbidden)
		return
	}
	session := rand.Text()
	s.mu.Lock()
	s.sessions[session] = e.ID
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "session", Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

var page = template.Must(template.New("page").Parse(`<!doctype html><title>Shop</title><p>{{.Name}}, {{.Open}} invoices are open.</p>`))

func (s *shop) home(w http.ResponseWriter, r *http.Request) {
	e, ok := s.signedIn(r)
	if !ok {
		http.Error(w, "sign in first: POST /login with id=ann", http.StatusUnauthorized)
		return
	}
	var open int
	err := s.db.QueryRowContext(r.Context(), `SELECT count(*) FROM invoices WHERE paid_on IS NULL`).Scan(&open)
	if err != nil {
		http.Error(w, "the database does not answer", http.StatusInternalServerError)
		return
	}
	_ = page.Execute(w, map[string]any{"Name": e.Name, "Open": open}) // a reader that is gone is not ours to mend
}
