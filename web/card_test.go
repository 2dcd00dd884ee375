package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// several are the lines of one proposal: paths within a JSON field, a value that is taken out of it, and records that go along with a delete.
const several = `[
  {"table": "customers", "record": "6", "record_label": "Acme", "verb": "update", "field": "address.city", "label": "Address · city", "before": "Oslo", "after": "Bergen", "source": "person"},
  {"table": "ticket_notes", "record": "1", "record_label": "1", "verb": "delete", "field": "text", "label": "Text", "before": "an old note", "after": null, "source": null},
  {"table": "customers", "record": "6", "record_label": "Acme", "verb": "update", "field": "address.lines[1]", "label": "Address · lines[1]", "before": "2nd floor", "after": null, "source": "person"},
  {"table": "ticket_notes", "record": "2", "record_label": "2", "verb": "delete", "field": "text", "label": "Text", "before": "another note", "after": null, "source": null},
  {"table": "customers", "record": "6", "record_label": "Acme", "verb": "update", "field": "address[\"a\u202eb\"]", "label": "Address · [\"a\u202eb\"]", "before": null, "after": "x", "source": "model"}
]`

// newRewriting stands before a server and puts other lines into the proposals that the page reads.
func newRewriting(t *testing.T, to string) *httptest.Server {
	t.Helper()
	return rewriting(t, to, func(g map[string]any) {
		p := g["proposals"].([]any)[0].(map[string]any)
		p["changes"], p["warnings"] = json.RawMessage(several), []string{"Address · [\"a\u202eb\"]: “x” stands neither in your messages nor in the data.", "With it go: 2 notes."}
	})
}

// newStating stands before a server and says of every proposal that it is in a state.
func newStating(t *testing.T, to, state string) *httptest.Server {
	t.Helper()
	return rewriting(t, to, func(g map[string]any) {
		g["state"] = state
		for _, p := range g["proposals"].([]any) {
			p := p.(map[string]any)
			p["state"], p["decided_at"], p["outcome"] = state, p["created_at"], ""
		}
	})
}

// rewriting stands before a server and changes the groups of proposals that are read.
func rewriting(t *testing.T, to string, change func(group map[string]any)) *httptest.Server {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ModifyResponse = func(r *http.Response) error {
		if !strings.HasPrefix(r.Request.URL.Path, "/v1/proposal-groups/") {
			return nil
		}
		var g map[string]any
		if err := json.NewDecoder(r.Body).Decode(&g); err != nil {
			return err
		}
		change(g)
		b, err := json.Marshal(g)
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(b))
		r.ContentLength = int64(len(b))
		r.Header.Set("Content-Length", strconv.Itoa(len(b)))
		return nil
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s
}

// The lines of a proposal stand by their records, deletes first and in red; a path within JSON hides nothing.
func testLines(t *testing.T, b *browser) {
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), "secret-token\r"))
	b.until(`document.querySelector('.words li')`)
	b.ask("one thing")
	b.until(`document.querySelector('.card.pending .actions .danger:not(:disabled)')`)
	b.settled()
	b.shot("15-records")
	rows := eval[[]string](b, `[...document.querySelectorAll('.card .changes tr')].map((r) => [...r.cells].map((c) => c.innerText).join(' | '))`)
	want := []string{
		"Delete · Ticket notes · 1", "Text | an old note", "Delete · Ticket notes · 2", "Text | another note",
		"Change · Customers · Acme 6", "Address · city | Oslo | → | Bergen | you said this", "Address · lines[1] | 2nd floor | → | (nothing) | you said this",
		`Address · ["a[U+202E]b"] | (nothing) | → | x | ⚠ from neither you nor data`,
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the card says\n%s", got)
	}
	red := eval[[]string](b, `['.record-name', '.delete del', '.update .record-name', '.update td'].map((s) => getComputedStyle(document.querySelector('.card .changes ' + s)).color)`)
	if red[0] != red[1] || red[0] == red[2] || red[2] != red[3] {
		t.Errorf("the colours are %q", red)
	}
	if warnings := eval[string](b, `[...document.querySelectorAll('.card .part > .warning')].map((w) => w.innerText).join()`); warnings != "⚠ With it go: 2 notes." {
		t.Errorf("the warnings are %q", warnings)
	}
	if button := eval[string](b, `document.querySelector('.card .actions .danger').innerText`); button != "Confirm 5 changes, 2 of them deletes" {
		t.Errorf("the button says %q", button)
	}
	if wide := eval[bool](b, `document.querySelector('.card').scrollWidth > document.querySelector('.card').clientWidth`); wide {
		t.Error("the card does not hold its lines")
	}
	if got := b.complaints(); len(got) > 0 {
		t.Errorf("the page complained: %q", got)
	}
}

// What was shown under rights that no longer hold is not shown again: a sentence says so, and rows are read with the rights of now.
func testWithheld(t *testing.T, chromium, binary string) {
	dir := t.TempDir()
	signedIn := func(t *testing.T, config string) *browser {
		b := open(t, chromium, serveIn(t, binary, dir, config))
		b.do(chromedp.SendKeys(chromedp.CSS("#token"), "secret-token\r"))
		b.until(`document.querySelector('.words li')`)
		return b
	}
	t.Run("business", func(t *testing.T) { start(t, binary, "demo", "--listen", "127.0.0.1:0", "--dir", dir) })
	t.Run("before", func(t *testing.T) {
		b := signedIn(t, config)
		b.ask("some rows")
		b.until(`document.querySelectorAll('.result tbody tr').length === 3`)
		if shown := b.text(); !strings.Contains(shown, "Secret heading") || strings.Contains(shown, "Withheld") {
			t.Errorf("it shows\n%s", shown)
		}
	})
	t.Run("after", func(t *testing.T) {
		less := strings.Replace(config, `"*": { read: true, create: true, update: true, delete: true }`, `customers: { read: [id, name] }`, 1)
		b := signedIn(t, less)
		b.do(chromedp.Click(chromedp.CSS(".conversation .item")))
		b.until(`document.querySelector('.turn .withheld') && document.querySelector('.turn .prose') && !document.querySelector('.turn .loading')`)
		b.shot("16-withheld")
		shown := eval[string](b, `document.querySelector('.turn').innerText`)
		if !strings.Contains(shown, "Withheld: your rights have changed since.") || strings.Contains(shown, "Secret heading") || strings.Contains(shown, "+47") {
			t.Errorf("it shows\n%s", shown)
		}
	})
}
