package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
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
		ended <- Main(ctx, []string{"demo", "--listen", "127.0.0.1:0", "--dir", t.TempDir(), "--model-url", model.URL + "/v1"}, in, io.Discard)
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
	<-asked
	began := time.Now()
	stop()
	events := 0
	for _, err := range sse.Read(res.Body) {
		if err != nil {
			t.Errorf("the stream was torn: %v", err)
			break
		}
		events++
	}
	if status := <-ended; status != good || events == 0 {
		t.Errorf("status %d after %d events", status, events)
	}
	if took := time.Since(began); took >= grace {
		t.Errorf("it took %s", took)
	}
}
