package modelhttp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestDelayIsRandomAndBounded(t *testing.T) {
	t.Parallel()
	c := Client{Random: func() float64 { return 0.999 }}
	for n, longest := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
		if d := c.delay(n, 0); d < longest/2 || d > longest*6/10 {
			t.Errorf("delay %d is %s", n, d)
		}
		if d := c.delay(n, time.Minute); d != time.Minute {
			t.Errorf("asked to wait a minute, it is %s", d)
		}
	}
}

// TestPause: a wait that would outlast its context is not begun, one that is under way ends with it, and else it is waited whole.
func TestPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := pause(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 0 {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
		if err := pause(ctx, 30*time.Second); err != nil || time.Since(start) != 30*time.Second {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
		time.AfterFunc(time.Second, cancel)
		if err := pause(ctx, 20*time.Second); !errors.Is(err, context.Canceled) || time.Since(start) != 31*time.Second {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
	})
}

// TestLongMessagesAreCut: what a vendor says in the operator's log is short and on one line.
func TestLongMessagesAreCut(t *testing.T) {
	t.Parallel()
	got := scrub(strings.Repeat("é ", 400) + "\nend")
	if len(got) > 310 || strings.ContainsAny(got, "\n") || !strings.HasSuffix(got, "…") {
		t.Errorf("got %q", got)
	}
	if got := scrub("one\ntwo"); got != "one…two" {
		t.Errorf("got %q", got)
	}
}

// FuzzRetryAfter: a wait is never negative and never longer than a day.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"1", "-1", "1e300", "NaN", "Inf", "Wed, 21 Oct 2015 07:28:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		f.Add(s, s)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, ms, s string) {
		h := http.Header{"Retry-After-Ms": {ms}, "Retry-After": {s}}
		if d := retryAfter(h, now); d < 0 || d > 24*time.Hour {
			t.Fatalf("%q, %q: %s", ms, s, d)
		}
	})
}

// TestNoError: what some servers write where there is no error is none.
func TestNoError(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]bool{
		`{"error":null}`: false, `{"error":false}`: false, `{"error":""}`: false, `{"error":{}}`: false, `{"text":"an error"}`: false, `{"error":"no"}`: true,
	} {
		if err := InStream(false, []byte(data)); (err != nil) != want {
			t.Errorf("%s: %v", data, err)
		}
	}
	if InStream(true, []byte(`{"error":{}}`)) == nil {
		t.Error("an error event without an error is none")
	}
}

// FuzzInStream: whatever stands in an event, it is no error or one with all that is told of it, and without what was quoted.
func FuzzInStream(f *testing.F) {
	for _, s := range []string{
		`{"error":{"message":"no","type":"t","code":"c"}}`, `{"error":"no"}`, `{"error":null}`, `{"type":"error","error":{"type":"overloaded_error"}}`,
		`{"object":"error","message":7}`, `{"code":429,"message":"error"}`, `"error"`, `null`,
	} {
		f.Add(true, []byte(s))
		f.Add(false, []byte(s))
	}
	f.Fuzz(func(t *testing.T, certain bool, data []byte) {
		err := InStream(certain, data)
		var failure *Failure
		if err == nil {
			return
		}
		if !errors.As(err, &failure) || failure.Code == "" || failure.Cause == nil || !strings.Contains(failure.Sentence, "%q") {
			t.Fatalf("%q: %#v", data, err)
		}
	})
}
