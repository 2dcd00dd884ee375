// Package bench measures the server as a caller sees it: over HTTP, with permission check, log row and store, over the sample business.
package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"example.com/deputy/internal/app"
	"example.com/deputy/internal/demo"
)

// scenario answers each question with the one call that is to be measured.
const scenario = `
- { when: { user: count }, calls: [ { tool: count_records, arguments: { table: order_lines, where: "quantity > 1" } } ] }
- { when: { user: count, step: 2 }, text: "done" }
- { when: { user: fifty }, calls: [ { tool: query_records, arguments: { table: order_lines, where: "quantity > 1", limit: 50 } } ] }
- { when: { user: fifty, step: 2 }, text: "done" }
`

const config = `
listen: 127.0.0.1:0
store: sqlite:%[1]s/deputy.db
host: { database: sqlite:%[1]s/business.db }
models: [ { name: bench, provider: scripted, scenario: %[1]s/scenario.yaml } ]
auth: { tokens: [ { token: t, id: agent, roles: [support], attributes: { employee_id: 7 } } ] }
policy:
  roles:
    support:
      tools: ["*"]
      tables:
        customers: { read: true, update: [phone], rows: support_rep_id == person.attributes.employee_id }
        orders: { read: true, rows: customer.support_rep_id == person.attributes.employee_id }
        order_lines: { read: true, rows: order.customer.support_rep_id == person.attributes.employee_id }
        products: { read: true }
budgets: { rate: { turns_per_minute: 10000000 } }
`

// output collects what the server writes and finds its URL in it.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	url  chan string
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if m := regexp.MustCompile(`url=(http://[^ /]+)`).FindSubmatch(o.text.Bytes()); m != nil && o.url != nil {
		o.url <- string(m[1])
		o.url = nil
	}
	return len(p), nil
}

// serve runs the server in this process for the length of a benchmark.
func serve(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	if _, err := demo.Create(b.Context(), filepath.Join(dir, "business.db"), time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"scenario.yaml": scenario, "deputy.yaml": fmt.Sprintf(config, dir)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(b.Context())
	found := make(chan string, 1)
	out, ended := &output{url: found}, make(chan int, 1)
	go func() {
		ended <- app.Main(ctx, []string{"serve", "--config", filepath.Join(dir, "deputy.yaml")}, nil, out, out)
	}()
	b.Cleanup(func() { stop(); <-ended })
	select {
	case url := <-found:
		return url
	case status := <-ended:
		ended <- status
		b.Fatalf("status %d: %s", status, out.text.String())
	}
	return ""
}

// post sends one request; its answer is decoded into out.
func post(b *testing.B, url, path string, in, out any) {
	text, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+path, bytes.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer t")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		b.Fatalf("%s: %d %v %s", path, res.StatusCode, err, answer)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		b.Fatal(err)
	}
}

// turn asks a question in a new conversation.
func turn(b *testing.B, url, text string) {
	var conversation struct{ ID string }
	post(b, url, "/v1/conversations", map[string]any{}, &conversation)
	var answer struct{ Reason, Text string }
	post(b, url, "/v1/conversations/"+conversation.ID+"/turns", map[string]string{"text": text}, &answer)
	if answer.Reason != "answered" || answer.Text != "done" {
		b.Fatalf("%+v", answer)
	}
}

// BenchmarkTurns is a whole turn: conversation, question, two model calls of no cost, one tool call, its log row, everything stored. Four at once.
func BenchmarkTurns(b *testing.B) {
	for _, question := range []string{"count", "fifty"} {
		b.Run(question, func(b *testing.B) {
			url := serve(b)
			turn(b, url, question)
			b.SetParallelism(2)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					turn(b, url, question)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
		})
	}
}
