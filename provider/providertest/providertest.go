// Package providertest holds the contract of a model over a vendor's protocol as a suite that every provider and API runs: over wire text
// in files, one case a file, by itself and through a real assistant.
//
// A file has sections. "answer STATUS TYPE" is what the server says, one for each request in turn, the last again and again; behind a
// semicolon may stand headers, or how the body ends: "cut" is a connection that breaks, "hang" one on which nothing more comes. "chunks"
// is what the model makes of it, and "turn" what becomes of a turn of an assistant which has another model behind this one; they are
// written anew by go test -update, where the package of the test has that flag.
package providertest

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/deputy"
)

// What models are made with.
const (
	Origin = "http://model.invalid" // their server's; only what goes there is answered
	Key    = "sk-test-0123456789abcdef"
	Model  = "model-1"
)

// Signature stands in the wire text wherever an answer has something that only its own model understands.
const Signature = "c2lnbmVkIGJ5IHRoZSB2ZW5kb3I="

// API is one protocol of a provider.
type API struct {
	Dir string // of its cases, such as testdata/chat; requests are in its folder request
	// New makes a model named main, with Key, at an address of Origin.
	New func(c Config) (deputy.Model, error)
	// Carries says that reasoning of earlier steps is sent back.
	Carries bool
}

// Config is what differs between the models of a test.
type Config struct {
	Model  string // the vendor's name
	Client *http.Client
	Strict bool
	// Deferred: it takes deferred tools, if its protocol has them.
	Deferred bool
}

// Run holds a provider to the contract. A case that its folder lacks fails; a file of another name is a case of its own, of which only
// what stands in it is held.
func Run(t *testing.T, api API) {
	t.Run("requests", func(t *testing.T) { requests(t, api) })
	t.Run("one outbound client", func(t *testing.T) { outbound(t, api) })
	all := contract()
	for _, file := range files(t, api) {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if !slices.ContainsFunc(all, func(e expectation) bool { return e.name == name }) {
			all = append(all, expectation{name: name, own: true})
		}
	}
	for _, e := range all {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			f := readFile(t, filepath.Join(api.Dir, e.name+".txt"))
			synctest.Test(t, func(t *testing.T) { alone(t, api, f, e) })
			synctest.Test(t, func(t *testing.T) { turn(t, api, f, e) })
			f.save(t)
		})
	}
}

func files(tb testing.TB, api API) []string {
	tb.Helper()
	out, err := filepath.Glob(filepath.Join(api.Dir, "*.txt"))
	if err != nil || len(out) == 0 {
		tb.Fatalf("no files in %s: %v", api.Dir, err)
	}
	return out
}

// model makes a model at a server.
func (api API) model(tb testing.TB, s *server, strict bool) deputy.Model {
	tb.Helper()
	m, err := api.New(Config{Model: Model, Client: &http.Client{Transport: s}, Strict: strict})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}
