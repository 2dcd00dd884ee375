package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/provider/offline"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/store/memory"
)

// open is the shop over a database of the test's own, and its host.
func open(t *testing.T) (*shop, deputy.Host) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	s, err := openShop(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	host, err := openHost(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	return s, host
}

// newDesk is an assistant over the shop's own database, policy and tools. Only its model is a script.
func newDesk(t *testing.T) (*deputytest.Desk, *shop) {
	t.Helper()
	s, host := open(t)
	return deputytest.New(t, deputytest.Config{Host: host, Policy: policy(), Toolsets: toolsets(), Now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}), s
}

func (s *shop) paidOn(t *testing.T, invoice int) string {
	t.Helper()
	var day string
	if err := s.db.QueryRow(`SELECT coalesce(paid_on, '') FROM invoices WHERE id = ?`, invoice).Scan(&day); err != nil {
		t.Fatal(err)
	}
	return day
}

func TestMarkPaid(t *testing.T) {
	t.Parallel()
	desk, s := newDesk(t)
	ann := deputytest.Person("ann", "accounts")
	ann.Attributes["region"] = "north"

	desk.Script(
		deputytest.Call("billing_list_overdue", ``),
		deputytest.Call("billing_mark_paid", `{"id":"10"}`),
		scripted.Answer{Text: "Invoice 10 is the oldest. Please confirm."},
	)
	turn := desk.Ask(ann, "The oldest overdue invoice is paid.")
	if len(turn.Proposals) != 1 {
		t.Fatalf("%q", turn.Results)
	}
	if got := s.paidOn(t, 10); got != "" {
		t.Errorf("before anybody confirmed it was paid on %s", got)
	}

	decision, err := desk.Confirm(ann, turn.Proposals...)
	if err != nil || decision.Proposals[0].State != deputy.Done {
		t.Fatalf("%+v, %v", decision, err)
	}
	if got := s.paidOn(t, 10); got != "2026-01-05" {
		t.Errorf("it was paid on %q", got)
	}
}

func TestOthersRegion(t *testing.T) {
	t.Parallel()
	desk, _ := newDesk(t)
	bob := deputytest.Person("bob", "accounts")
	bob.Attributes["region"] = "south"

	turn := desk.Run(bob, deputytest.Call("billing_list_overdue", ``), deputytest.Call("billing_mark_paid", `{"id":"10"}`))
	if got := string(turn.Data(t, 0)); strings.Contains(got, "1200") || !strings.Contains(got, "99.9") {
		t.Errorf("bob reads %s", got)
	}
	if turn.Outcomes[1] != deputy.Refused || len(turn.Proposals) != 0 {
		t.Errorf("%s: %s", turn.Outcomes[1], turn.Results[1])
	}
	if err := desk.Refusal(deputytest.Person("cal", "warehouse"), "Hello"); deputy.CodeOf(err) != deputy.PermissionDenied {
		t.Errorf("the warehouse has no role here: %v", err)
	}
}

// TestMounted goes the whole way: signed in to the shop, asking over HTTP, with the model that needs no key.
func TestMounted(t *testing.T) {
	t.Parallel()
	s, host := open(t)
	a, err := newAssistant(t.Context(), s, host, memory.New(), offline.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	mux := s.routes()
	s.mount(mux, a, nil)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	if status, body := ask(t, server.Client(), server.URL+"/assistant/v1/conversations", `{}`); status != http.StatusUnauthorized {
		t.Errorf("not signed in: %d %s", status, body)
	}
	ann := signIn(t, server, "ann")
	var conversation struct{ ID string }
	_, body := ask(t, ann, server.URL+"/assistant/v1/conversations", `{}`)
	if err := json.Unmarshal(body, &conversation); err != nil || conversation.ID == "" {
		t.Fatalf("%s, %v", body, err)
	}
	status, body := ask(t, ann, server.URL+"/assistant/v1/conversations/"+conversation.ID+"/turns", `{"text":"how many invoices are there?"}`)
	var turn struct{ Reason, Text string }
	if err := json.Unmarshal(body, &turn); err != nil || status != http.StatusOK || turn.Reason != "answered" || !strings.Contains(turn.Text, "3") {
		t.Errorf("%d %s, %v", status, body, err)
	}
	if status, body := ask(t, signIn(t, server, "bob"), server.URL+"/assistant/v1/conversations/"+conversation.ID+"/turns", `{"text":"hello"}`); status != http.StatusNotFound {
		t.Errorf("another's conversation: %d %s", status, body)
	}
}

func signIn(t *testing.T, server *httptest.Server, id string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	r, err := client.PostForm(server.URL+"/login", url.Values{"id": {id}})
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", r, err)
	}
	_ = r.Body.Close()
	return client
}

func ask(t *testing.T, client *http.Client, address, body string) (status int, answer []byte) {
	t.Helper()
	r, err := client.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	answer, err = io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, answer
}
