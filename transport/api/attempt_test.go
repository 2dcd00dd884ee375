package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
)

// again sends a request under a key.
func (s *server) again(key, who, path, body string, header ...string) reply {
	s.t.Helper()
	return s.do(who, "POST", path, body, append(header, "Idempotency-Key", key)...)
}

// turns are the ids of the turns of a conversation, in order.
func (s *server) turns(who, conversation string) (out []string) {
	s.t.Helper()
	for _, m := range s.want(s.do(who, "GET", "/v1/conversations/"+conversation+"/messages?limit=200", ""), 200).items() {
		if m := object(m.(map[string]any)); m.text("role") == "person" {
			out = append(out, m.text("turn"))
		}
	}
	return out
}

// applied is how often the business was written to.
func (s *server) applied() (n int) {
	for _, a := range s.host.Asked() {
		if a.Method == hosttest.Apply {
			n++
		}
	}
	return n
}

func TestKeysAreBounded(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, key := range []string{"", "a b", "a\tb", "é", strings.Repeat("k", 256)} {
		if got := s.want(s.again(key, "ann", "/v1/conversations", ""), 400); got.text("code") != "invalid" || !strings.Contains(got.text("detail"), "255") {
			t.Errorf("%q: %v", key, got)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/v1/conversations", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header["Idempotency-Key"], r.Header["Authorization"] = []string{"a", "b"}, []string{"Bearer ann"}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 400 {
		t.Errorf("two keys: %d", res.StatusCode)
	}
	if l := s.want(s.do("ann", "GET", "/v1/conversations", "", "Idempotency-Key", "not ours to judge"), 200); len(l.items()) != 0 {
		t.Error(l)
	}
	for _, key := range []string{"!", strings.Repeat("~", 255)} {
		s.want(s.again(key, "ann", "/v1/conversations", ""), 201)
	}
	s.want(s.again("a b", "", "/v1/conversations", ""), 401) // who it is comes first
}

func TestConversationOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	first := s.again("k", "ann", "/v1/conversations", `{"title":"a b"}`)
	s.want(first, 201)
	for _, body := range []string{`{"title":"a b"}`, ` { "title" : "a\u0020b" } `} {
		if got := s.again("k", "ann", "/v1/conversations", body); got.status != first.status || got.body != first.body {
			t.Errorf("first %v, then %v", first, got)
		}
	}
	if got := s.want(s.again("k", "ann", "/v1/conversations", `{"title":"another"}`), 422); got.text("code") != "unprocessable" || !strings.Contains(got.text("detail"), "key of its own") {
		t.Error(got)
	}
	if got := s.again("k", "bob", "/v1/conversations", `{"title":"another"}`); got.status != 201 {
		t.Error("another person's key of the same name:", got)
	}
	if l := s.want(s.do("ann", "GET", "/v1/conversations", ""), 200); len(l.items()) != 1 {
		t.Error(l)
	}
	s.want(s.again("k", "nora", "/v1/conversations", ""), 403)

	id := s.want(first, 201).text("id")
	s.want(s.do("ann", "DELETE", "/v1/conversations/"+id, ""), 204)
	s.want(s.again("k", "ann", "/v1/conversations", `{"title":"a b"}`), 404) // it does not come back, and no other takes its place
	s.pass(24 * time.Hour)
	if got := s.want(s.again("k", "ann", "/v1/conversations", `{"title":"another"}`), 201); got.text("id") == id {
		t.Error("the next day it is another request", got)
	}
}

func TestTurnOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.conversation("ann")
	path := "/v1/conversations/" + c + "/turns"
	first := s.again("k", "ann", path, `{"text":"two"}`)
	turn := s.want(first, 200).text("id")
	if got := s.again("k", "ann", path, `{"text":"two"}`); got.status != 200 || got.body != first.body {
		t.Errorf("first %v, then %v", first, got)
	}
	all := s.do("ann", "GET", "/v1/turns/"+turn+"/events", "").body
	if got := s.again("k", "ann", path, `{"text":"two"}`, "Accept", "text/event-stream"); got.body != all || got.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("as events: %v", got)
	}
	s.want(s.again("k", "ann", path, `{"text":"three"}`), 422)
	elsewhere := s.conversation("ann") // another route
	if got := s.want(s.again("k", "ann", "/v1/conversations/"+elsewhere+"/turns", `{"text":"two"}`), 200); got.text("id") == turn {
		t.Error(got)
	}
	if ts := s.turns("ann", c); len(ts) != 1 || ts[0] != turn {
		t.Error(ts)
	}
}

// What is said while the turn runs is followed from its start, by everybody who says it.
func TestTurnOnceWhileItRuns(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.conversation("ann")
	path := "/v1/conversations/" + c + "/turns"
	ctx, hangUp := context.WithCancel(t.Context())
	r := s.send(ctx, "ann", "POST", path, `{"text":"wait"}`, "Accept", "text/event-stream", "Idempotency-Key", "k")
	<-s.step
	hangUp()
	_ = r.Body.Close() // hung up on purpose
	var wg sync.WaitGroup
	ids := make([]string, 6)
	for i := range ids {
		wg.Go(func() {
			if i%2 == 0 {
				ids[i] = s.want(s.again("k", "ann", path, `{"text":"wait"}`), 200).text("id")
				return
			}
			r := s.send(t.Context(), "ann", "POST", path, `{"text":"wait"}`, "Accept", "text/event-stream", "Idempotency-Key", "k")
			defer r.Body.Close()
			es := events(t, r.Body)
			ids[i] = s.want(reply{200, nil, string(es[0].Data)}, 200).text("turn")
			if es[0].Name != "turn.started" || es[len(es)-1].Name != "turn.finished" {
				t.Error(names(es))
			}
		})
	}
	s.release()
	wg.Wait()
	if ts := s.turns("ann", c); len(ts) != 1 || strings.Join(ids, "") != strings.Repeat(ts[0], len(ids)) {
		t.Error(ts, ids)
	}
}

// Of many at once with one key one is carried out; the others get its answer, or are told to ask again.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.conversation("ann")
	p := object(s.say("ann", "phone").at("proposals", 0).(map[string]any))
	for path, body := range map[string]string{
		"/v1/conversations":                          `{"title":"single"}`,
		"/v1/conversations/" + c + "/turns":          `{"text":"hello"}`,
		"/v1/proposals/" + p.text("id") + "/confirm": fmt.Sprintf(shown, p.text("hash")),
	} {
		var wg sync.WaitGroup
		var mu sync.Mutex
		got := map[string]int{}
		for range 50 {
			wg.Go(func() {
				r := s.again("k", "ann", path, body)
				if r.status == 409 {
					if what := s.want(r, 409); what.text("code") != "conflict" || !strings.Contains(what.text("detail"), "in a moment") {
						t.Error(what)
					}
					return
				}
				mu.Lock()
				defer mu.Unlock()
				got[r.body]++
			})
		}
		wg.Wait()
		if r := s.again("k", "ann", path, body); len(got) != 1 || got[r.body] == 0 {
			t.Errorf("%s: answers %v, then %s", path, got, r.body)
		}
	}
	if ts := s.turns("ann", c); len(ts) != 1 || s.applied() != 1 {
		t.Errorf("turns %v, written %d times", ts, s.applied())
	}
	if l := s.want(s.do("ann", "GET", "/v1/conversations?term=single", ""), 200); len(l.items()) != 1 {
		t.Error(l)
	}
}

func TestDecisionOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	yes, no := s.say("ann", "phone"), s.say("ann", "phone")
	confirm, body := "/v1/proposals/"+yes.text("proposals", 0, "id")+"/confirm", fmt.Sprintf(shown, yes.text("proposals", 0, "hash"))
	if got := s.want(s.again("k", "ann", confirm, fmt.Sprintf(shown, "old")), 409); got.text("code") != "conflict" {
		t.Error(got)
	}
	first := s.again("k", "ann", confirm, body) // a refusal has left the key free
	if got := s.want(first, 200); got.text("state") != "done" {
		t.Error(got)
	}
	if got := s.again("k", "ann", confirm, body); got.status != 200 || got.body != first.body {
		t.Error(got)
	}
	for range 2 { // with a key of its own it is another one
		if got := s.want(s.again("k2", "ann", confirm, body), 409); got.text("code") != "already_decided" {
			t.Error(got)
		}
	}
	reject := "/v1/proposals/" + no.text("proposals", 0, "id") + "/reject"
	first = s.again("k", "ann", reject, "")
	if got := s.want(first, 200); got.text("state") != "rejected" {
		t.Error(got)
	}
	if got := s.again("k", "ann", reject, ""); got.status != 200 || got.body != first.body {
		t.Error(got)
	}
	s.want(s.do("ann", "POST", reject, ""), 409)
	cancel := "/v1/turns/" + yes.text("id") + "/cancel"
	if a, b := s.again("k", "ann", cancel, ""), s.again("k", "ann", cancel, ""); a.status != 200 || a.body != b.body {
		t.Error(a, b)
	}
	if s.applied() != 1 {
		t.Errorf("written %d times", s.applied())
	}
}

func TestGroupOnceAndStale(t *testing.T) {
	t.Parallel()
	s := serve(t)
	turn := s.say("ann", "two")
	path := "/v1/proposal-groups/" + turn.text("proposals", 0, "group") + "/confirm"
	body := fmt.Sprintf(`{"proposals":[{"id":%q,"hash":%q},{"id":%q,"hash":%q}]}`, turn.text("proposals", 0, "id"), turn.text("proposals", 0, "hash"),
		turn.text("proposals", 1, "id"), turn.text("proposals", 1, "hash"))
	s.host.Change("customers", func(rows []query.Row) []query.Row {
		rows[0]["phone"] = "+47 9"
		return rows
	})
	first := s.again("k", "ann", path, body)
	if got := s.want(first, 409); got.text("code") != "stale" || got.text("group", "proposals", 1, "state") != "pending" || got.text("proposal", "changes", 0, "before") != "+47 9" {
		t.Error(got)
	}
	if got := s.again("k", "ann", path, body); got.status != 409 || got.body != first.body {
		t.Errorf("first %v, then %v", first, got)
	}
	if l := s.want(s.do("ann", "GET", "/v1/proposals?state=pending", ""), 200); len(l.items()) != 2 {
		t.Error(l)
	}
}

// mortal is a store that loses what became of attempts: as a process does that dies before it can say so.
type mortal struct{ deputy.Attempts }

func (mortal) End(context.Context, deputy.Person, deputy.Attempt) error    { return nil }
func (mortal) Forget(context.Context, deputy.Person, deputy.Attempt) error { return nil }

// stillborn is one that dies before a turn is stored.
type stillborn struct{ deputy.Turns }

func (stillborn) Start(context.Context, deputy.Person, deputy.Turn, []deputy.Message, time.Time) (deputy.Lease, error) {
	return deputy.Lease{}, deputy.Errorf(deputy.Unavailable, "The store is gone.")
}

// TestProcessDies sends each request to a process that dies in it, and again to another one on the same store.
func TestProcessDies(t *testing.T) {
	t.Parallel()
	host, store := shop(), memory.New()
	dying := store
	dying.Attempts = mortal{store.Attempts}
	old, young := serveStore(t, host, dying), serveStore(t, host, store)
	c := old.conversation("ann")
	say := "/v1/conversations/" + c + "/turns"
	yes, no := old.say("ann", "phone"), old.say("ann", "phone")
	confirm, hash := "/v1/proposals/"+yes.text("proposals", 0, "id")+"/confirm", fmt.Sprintf(shown, yes.text("proposals", 0, "hash"))
	reject := "/v1/proposals/" + no.text("proposals", 0, "id") + "/reject"
	all := [][2]string{{"/v1/conversations", `{"title":"one"}`}, {say, `{"text":"hello"}`}, {confirm, hash}, {reject, ""}}
	first := map[string]reply{}
	for _, r := range all {
		first[r[0]] = old.again("k", "ann", r[0], r[1])
		if first[r[0]].status/100 != 2 {
			t.Fatal(first[r[0]])
		}
		if got := young.want(young.again("k", "ann", r[0], r[1]), 409); got.text("code") != "conflict" {
			t.Error(got)
		}
	}
	young.pass(31 * time.Second)
	for range 2 {
		for _, r := range all {
			if got := young.again("k", "ann", r[0], r[1]); got.status != first[r[0]].status || got.body != first[r[0]].body {
				t.Errorf("first %v, then %v", first[r[0]], got)
			}
		}
	}
	if ts := young.turns("ann", c); len(ts) != 1 || young.applied() != 1 {
		t.Errorf("turns %v, written %d times", ts, young.applied())
	}
}

// TestProcessDiesBeforeItDoes is carried out by the next one, with the id that was chosen first.
func TestProcessDiesBeforeItDoes(t *testing.T) {
	t.Parallel()
	host, store := shop(), memory.New()
	dying := store
	dying.Turns, dying.Attempts = stillborn{store.Turns}, mortal{store.Attempts}
	old, young := serveStore(t, host, dying), serveStore(t, host, store)
	c := young.conversation("ann")
	say := "/v1/conversations/" + c + "/turns"
	old.want(old.again("k", "ann", say, `{"text":"hello"}`), 503)
	young.pass(31 * time.Second)
	got := young.want(young.again("k", "ann", say, `{"text":"hello"}`), 200)
	if ts := young.turns("ann", c); len(ts) != 1 || ts[0] != got.text("id") || !strings.Contains(ts[0], strings.ToLower(old.tag)) {
		t.Error(ts, old.tag)
	}
}

// TestDiesInAConfirmation: the next one does not confirm again, and says how it stands.
func TestDiesInAConfirmation(t *testing.T) {
	t.Parallel()
	host, store := shop(), memory.New()
	dying := store
	dying.Attempts = mortal{store.Attempts}
	old, young := serveStore(t, host, dying), serveStore(t, host, store)
	turn := old.say("ann", "phone")
	confirm, hash := "/v1/proposals/"+turn.text("proposals", 0, "id")+"/confirm", fmt.Sprintf(shown, turn.text("proposals", 0, "hash"))
	arrived, release := host.Hold(hosttest.Apply)
	answered := make(chan reply)
	go func() { answered <- old.again("k", "ann", confirm, hash) }()
	select {
	case <-arrived:
	case r := <-answered:
		t.Fatal("it did not get to the business", r)
	}
	young.want(young.again("k", "ann", confirm, hash), 409)
	young.pass(31 * time.Second)
	if got := young.want(young.again("k", "ann", confirm, hash), 200); got.text("state") != "confirming" {
		t.Error(got)
	}
	release()
	<-answered
	if got := young.want(young.again("k", "ann", confirm, hash), 200); got.text("state") != "done" || young.applied() != 1 {
		t.Errorf("%v, written %d times", got, young.applied())
	}
}
