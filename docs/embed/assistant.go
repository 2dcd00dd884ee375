package main

import (
	"context"
	"net/http"
	"os"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/provider/offline"
	"example.com/deputy/provider/openai"
	"example.com/deputy/toolset/kernel"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
	"example.com/deputy/transport/api"
)

// openHost is the shop's database as the assistant may use it, on connections of its own.
func openHost(ctx context.Context, path string) (*sqldb.Host, error) {
	return sqldb.Open(ctx, sqldb.Config{
		URL:    "sqlite:" + path,
		Tables: map[string]sqldb.Table{"customers": {RecordLabel: "name"}},
	})
}

// policy says who may do what: what it does not name, nobody may.
func policy() deputy.Policy {
	all := deputy.Fields{All: true}
	return deputy.Policy{Roles: map[string]deputy.Role{
		"accounts": {
			Tools: []string{"*"},
			Tables: map[string]deputy.Access{
				"customers": {Read: all, Rows: `region == person.attributes.region`},
				"invoices":  {Read: all, Update: deputy.Fields{Names: []string{"paid_on"}}, Rows: `customer.region == person.attributes.region`},
			},
		},
	}}
}

func toolsets() []deputy.Toolset {
	return []deputy.Toolset{records.New(records.Config{}), present.New(), kernel.New(), billing()}
}

// model is a language model where there is a key, and else the built-in rules.
func model() (deputy.Model, error) {
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		return openai.New(openai.Config{Model: "gpt-4.1", APIKey: key})
	}
	return offline.New(), nil
}

// person is an employee as the assistant knows one: the job is the role.
func person(e employee) deputy.Person {
	return deputy.Person{Issuer: "shop", ID: e.ID, Name: e.Name, Roles: []string{e.Job}, Attributes: map[string]string{"region": e.Region}}
}

// Lookup implements deputy.Directory: it gives the rights that somebody has now, and is asked before every step.
func (s *shop) Lookup(_ context.Context, issuer, id string) (deputy.Person, error) {
	if e, ok := s.staff[id]; ok && issuer == "shop" {
		return person(e), nil
	}
	return deputy.Person{}, deputy.Errorf(deputy.NotFound, "No such person.")
}

// newAssistant puts the parts together.
func newAssistant(ctx context.Context, s *shop, host deputy.Host, store deputy.Store, m deputy.Model) (*deputy.Assistant, error) {
	return deputy.New(ctx, deputy.Config{
		Name:         "Shop assistant",
		Instructions: "An invoice is open until it has a paid_on.",
		Host:         host, Models: []deputy.Model{m}, Store: store, Policy: policy(), Toolsets: toolsets(), Directory: s,
	})
}

// mount adds the assistant to the program's routes. Whoever is signed in to the program is signed in to the assistant.
func (s *shop) mount(mux *http.ServeMux, a *deputy.Assistant, closing <-chan struct{}) {
	door := api.New(a.Door(deputy.Chat), s.caller, api.Options{PublicURL: "https://shop.example.com", Closing: closing})
	mux.Handle("/assistant/", http.StripPrefix("/assistant", door))
}

// caller says who a request is from. Confirm lets the same session decide what the assistant proposes.
func (s *shop) caller(r *http.Request) (deputy.Caller, error) {
	e, ok := s.signedIn(r)
	if !ok {
		return deputy.Caller{}, deputy.Errorf(deputy.Unauthenticated, "Sign in first.")
	}
	return deputy.Caller{Person: person(e), Confirm: true}, nil
}
