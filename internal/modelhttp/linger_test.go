package modelhttp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// TestLinger: an answer that has ended does not go on for ever, though the server goes on saying that it is there.
func TestLinger(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, ": still here\n\n")
			w.(http.Flusher).Flush()
		}
	}))
	defer s.Close()
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Config{Base: base})
	c.Linger = 100 * time.Millisecond
	began := time.Now()
	err = c.Ask(t.Context(), Call{
		Body: func() ([]byte, error) { return nil, nil }, Begun: func() bool { return true },
		Read: func(b *Body) error {
			b.Ended()
			_, err := io.Copy(io.Discard, io.LimitReader(b, AnswerLimit-1))
			return err
		},
	})
	if err == nil || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}
