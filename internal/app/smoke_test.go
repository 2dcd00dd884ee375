package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// binary is the built program: the one DEPUTY_BINARY names, else one built here.
func binary(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("DEPUTY_BINARY"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "deputy")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "example.com/deputy/cmd/deputy")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	return path
}

// running is a started demo.
type running struct {
	t     *testing.T
	url   string
	cmd   *exec.Cmd
	stop  func() error // asks it to end and waits
	token string
}

func startDemo(t *testing.T) *running {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), "demo", "--listen", "127.0.0.1:0", "--dir", t.TempDir())
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=")
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, cmd: cmd, token: "demo-agent"}
	r.stop = func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		return cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it did not start: %v %s", cmd.Wait(), errOut.String())
	}
	_, r.url, _ = strings.Cut(strings.TrimSpace(line), "Deputy demo: ")
	r.url = strings.TrimSuffix(r.url, "/")
	return r
}

// ask sends one request and decodes its answer.
func (r *running) ask(method, path string, body any, status int) map[string]any {
	r.t.Helper()
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			r.t.Fatal(err)
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, in)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		r.t.Fatalf("%s %s: %d, %v\n%s", method, path, res.StatusCode, err, text)
	}
	var out map[string]any
	_ = json.Unmarshal(text, &out) // the page is no JSON
	return out
}

// first is the first item of a list in an answer.
func (r *running) first(answer map[string]any, list string) map[string]any {
	r.t.Helper()
	items, _ := answer[list].([]any)
	if len(items) == 0 {
		r.t.Fatalf("nothing in %s: %v", list, answer)
	}
	return items[0].(map[string]any)
}

// TestSmoke is the main job, end to end, through the built binary: ask, propose, confirm once, read the log, stop.
func TestSmoke(t *testing.T) {
	t.Parallel()
	r := startDemo(t)
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json", "/", "/demo/people", "/v1/me"} {
		r.ask(http.MethodGet, path, nil, http.StatusOK)
	}
	conversation := r.ask(http.MethodPost, "/v1/conversations", map[string]any{}, http.StatusCreated)
	turns := fmt.Sprintf("/v1/conversations/%v/turns", conversation["id"])

	shown := r.ask(http.MethodPost, turns, map[string]any{"text": "customers in Norway"}, http.StatusOK)
	call := r.first(shown, "displays")["call"]
	rows := r.ask(http.MethodGet, fmt.Sprintf("/v1/tool-calls/%v/result", call), nil, http.StatusOK)["rows"].([]any)
	if len(rows) == 0 {
		t.Fatal("the agent has no customers in Norway")
	}
	customer := fmt.Sprint(rows[0].([]any)[0])

	text := "change the phone of customer " + customer + " to +47 555 00 001"
	proposal := r.first(r.ask(http.MethodPost, turns, map[string]any{"text": text}, http.StatusOK), "proposals")
	if proposal["state"] != "pending" || proposal["record"] != customer {
		t.Fatalf("%v", proposal)
	}
	confirm := fmt.Sprintf("/v1/proposals/%v/confirm", proposal["id"])
	r.ask(http.MethodPost, confirm, map[string]any{"hash": strings.Repeat("0", 64)}, http.StatusConflict)
	done := r.ask(http.MethodPost, confirm, map[string]any{"hash": proposal["hash"]}, http.StatusOK)
	if done["state"] != "done" {
		t.Fatalf("%v", done)
	}
	if again := r.ask(http.MethodPost, confirm, map[string]any{"hash": proposal["hash"]}, http.StatusConflict); again["code"] != "already_decided" {
		t.Errorf("a second confirmation: %v", again)
	}
	log := r.ask(http.MethodGet, "/v1/tool-calls", nil, http.StatusOK)
	if newest := r.first(log, "items"); newest["outcome"] != "confirmed" || newest["proposal"] != proposal["id"] {
		t.Errorf("the newest row of the log: %v", newest)
	}

	r.ask(http.MethodGet, "/v1/admin/kill-switch", nil, http.StatusForbidden)
	r.token = "demo-manager"
	r.ask(http.MethodPut, "/v1/admin/kill-switch", map[string]any{"all": true, "reason": "smoke"}, http.StatusOK)
	r.token = "demo-agent"
	r.ask(http.MethodPost, turns, map[string]any{"text": "customers in Norway"}, http.StatusServiceUnavailable)
	r.token = "nobody"
	r.ask(http.MethodGet, "/v1/me", nil, http.StatusUnauthorized)

	if err := r.stop(); err != nil {
		t.Errorf("it did not end well when asked to: %v", err)
	}
}
