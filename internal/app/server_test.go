package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/deputy/internal/sse"
)

// A server that is asked to stop does not wait for those who follow a turn.
func TestStopEndsOpenStreams(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"slow","object":"model","created":1,"owned_by":"x"}]}`)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // so that the server sees the line go
		asked <- struct{}{}
		<-r.Context().Done() // it never answers
	}))
	t.Cleanup(model.Close)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"demo", "--listen", "127.0.0.1:0", "--dir", t.TempDir(), "--model-url", model.URL + "/v1"}, strings.NewReader(""), in, io.Discard)
		_ = in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	_, url, _ := strings.Cut(strings.TrimSpace(line), "Deputy demo: ")
	r := &running{t: t, url: strings.TrimSuffix(url, "/"), token: "demo-agent"}

	conversation := r.ask(http.MethodPost, "/v1/conversations", map[string]any{}, http.StatusCreated)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("%s/v1/conversations/%v/turns", r.url, conversation["id"]), strings.NewReader(`{"text":"hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Authorization": "Bearer demo-agent", "Accept": "text/event-stream", "Content-Type": "application/json"} {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	next, done := iter.Pull2(sse.Read(res.Body))
	defer done()
	if e, err, ok := next(); !ok || err != nil || e.Name != "turn.started" {
		t.Fatal(e, err, ok)
	}
	<-asked
	began := time.Now()
	stop()
	for ok := true; ok; {
		if _, err, ok = next(); err != nil {
			t.Fatalf("the stream was torn: %v", err)
		}
	}
	if status := <-ended; status != good {
		t.Errorf("status %d", status)
	}
	if took := time.Since(began); took >= grace {
		t.Errorf("it took %s", took)
	}
}
