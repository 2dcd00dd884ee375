package api

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/sse"
)

// A stream says that it lives every 15 s, between the events and never instead of them.
func TestQuietSpells(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		events := func(yield func(deputy.Event, error) bool) {
			time.Sleep(40 * time.Second) // of the bubble's clock
			if yield(deputy.Event{Seq: 1, Name: "a", Data: []byte("{}")}, nil) {
				time.Sleep(10 * time.Second) // likewise
				yield(deputy.Event{Seq: 2, Name: "b", Data: []byte("{}")}, nil)
			}
		}
		got := stream(t, t.Context(), events)
		if want := ": still here\n\n: still here\n\nid: 1\nevent: a\ndata: {}\n\n: still here\n\nid: 2\nevent: b\ndata: {}\n\n"; got != want {
			t.Errorf("got %q", got)
		}
	})
}

// A reader that is gone ends the copying at once, even while no event comes.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		stream(t, ctx, func(yield func(deputy.Event, error) bool) {
			<-ctx.Done()
			yield(deputy.Event{}, ctx.Err())
		})
		if d := time.Since(began); d != time.Second {
			t.Errorf("it took %s", d)
		}
	})
}

func stream(t *testing.T, ctx context.Context, events iter.Seq2[deputy.Event, error]) string {
	t.Helper()
	rec := httptest.NewRecorder()
	w, err := sse.NewWriter(rec)
	if err != nil {
		t.Fatal(err)
	}
	if err := copyEvents(ctx, w, events); err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	return rec.Body.String()
}

func TestInert(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "plain": "plain", "a=b": "a=b", "=1+1": "'=1+1", "+47 555": "'+47 555", "@cmd": "'@cmd", "-x": "'-x", "\tx": "'\tx", "\rx": "'\rx",
		"-1": "-1", "+1.50": "+1.50", "-1e5": "-1e5", "-": "'-", "-1+2": "'-1+2", "-1\n": "'-1\n", "--1": "'--1", "-1,5": "'-1,5",
	} {
		if got := inert(in); got != want {
			t.Errorf("%q becomes %q, not %q", in, got, want)
		}
	}
}

func TestStatusOfEveryCode(t *testing.T) {
	t.Parallel()
	for code, want := range map[deputy.Code]int{
		"invalid": 400, "unauthenticated": 401, "permission_denied": 403, "not_found": 404, "conflict": 409, "stale": 409, "already_decided": 409, "expired": 409,
		"too_large": 413, "unprocessable": 422, "rate_limited": 429, "budget_exhausted": 429, "internal": 500, "unavailable": 503, "killed": 503, "timeout": 504,
	} {
		p := newProblem(deputy.Errorf(code, "a sentence"))
		if p.Status != want || p.Code != code || p.Detail != "a sentence" || p.Title == "" {
			t.Errorf("%s: %+v", code, p)
		}
	}
	if p := newProblem(fmt.Errorf("secret: %w", context.Canceled)); p.Code != "timeout" || strings.Contains(p.Detail, "secret") {
		t.Errorf("%+v", p)
	}
}

func TestGroupState(t *testing.T) {
	t.Parallel()
	for want, states := range map[deputy.State]string{
		"pending": "rejected pending done", "confirming": "pending confirming", "unknown": "done unknown failed", "stale": "stale stale", "failed": "done failed", "done": "rejected done", "rejected": "rejected", "expired": "rejected expired",
	} {
		var ps []deputy.Proposal
		for _, s := range strings.Fields(states) {
			ps = append(ps, deputy.Proposal{State: deputy.State(s)})
		}
		if got := groupState(ps); got != want {
			t.Errorf("%s: %s", states, got)
		}
	}
}

// What decode takes is one JSON value, and encoding/json reads the same from it.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"text":"x"}`, `{"a":1,"a":2}`, `{"A":1}`, `[[[]]]`, `{}{}`, `"x`, `null`, ` 1 `, `{"a":{"b":[true,null,1e9]}}`, "\xff", `{"a"}`, `{"a":1,}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want any
		if decode(data, &got) != nil {
			return
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q was taken: %v", data, err)
		}
		if strings.Count(string(data), "{")+strings.Count(string(data), "[") == 0 {
			return
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("%q: %s, %s", data, a, b)
		}
	})
}

// A Host is taken only when its name is this machine's or the public one, whatever surrounds it.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"localhost", "127.0.0.1:80", "[::1]", "assistant.example.com", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", ":80", "[::1", "::1", "0x7f.1", "[::1%25x]:1"} {
		f.Add(s)
	}
	ours := regexp.MustCompile(`^\[*(localhost|assistant\.example\.com|127(\.[0-9]+){3}|[0-9a-f:.]*[0-9a-f:]:[0-9a-f:.]*)\]*(:[^\]]*)?$`)
	f.Fuzz(func(t *testing.T, host string) {
		if known(hostname(host), "assistant.example.com") && !ours.MatchString(strings.ToLower(host)) {
			t.Errorf("%q was taken", host)
		}
	})
}
