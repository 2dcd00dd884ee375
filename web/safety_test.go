package web_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

type form struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Channel string `json:"channel"`
}

// forms are texts that have made renderers ask another server, or run something.
func forms(t *testing.T) (out []form) {
	t.Helper()
	b, err := os.ReadFile("../../shared/data/attacks/rendering-forms.json")
	if err != nil {
		t.Skip("the collection of attack texts is not there: ", err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// sink counts what reaches the host of the attack texts.
type sink struct {
	*httptest.Server
	hits    atomic.Int32
	arrived chan struct{}
}

// wait waits for one more to arrive.
func (s *sink) wait(t *testing.T) {
	t.Helper()
	select {
	case <-s.arrived:
	case <-time.After(patience):
		t.Fatalf("nothing more reaches the sink than %d requests", s.hits.Load())
	}
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{arrived: make(chan struct{}, 1000)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		s.hits.Add(1)
		s.arrived <- struct{}{}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// openTo opens a page in a browser for which every name but this machine's is the sink.
func openTo(t *testing.T, chromium string, s *sink, address string) *browser {
	t.Helper()
	at := strings.TrimPrefix(s.URL, "https://")
	return open(t, chromium, address, chromedp.Flag("host-resolver-rules", "MAP *.invalid "+at+", MAP attacker.invalid "+at), chromedp.IgnoreCertErrors)
}

// asked collects the addresses of everything that a tab asks for, from now on.
func (b *browser) asked() func() []string {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	b.t.Cleanup(cancel)
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.t.Fatal(err)
	}
	events := chromedp.Events(ctx, network.RequestWillBeSent)
	var mu sync.Mutex
	var urls []string
	go func() {
		for e, err := range events {
			if err != nil {
				return
			}
			mu.Lock()
			urls = append(urls, e.Request.URL)
			mu.Unlock()
		}
	}()
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return urls
	}
}

// testForms puts every form into a record, a note of a ticket, the label of a table and an answer of the model, looks at all of them in the
// page, and clicks on none: nothing outside of the page's own origin is asked for.
func testForms(t *testing.T, chromium, binary string) {
	all := forms(t)
	var records, notes []string
	var answer, labels strings.Builder
	for i, f := range all {
		quoted := "'" + strings.ReplaceAll(f.Text, "'", "''") + "'"
		records = append(records, fmt.Sprintf("(%d, %s, %s, %s, NULL)", 100+i, quoted, quoted, quoted))
		notes = append(notes, fmt.Sprintf("(%d, 1, %s)", 100+i, quoted))
		answer.WriteString(f.Text + "\n\n")
		labels.WriteString(f.Text + " ")
	}
	dir := business(t, "INSERT INTO customers VALUES "+strings.Join(records, ","), "INSERT INTO ticket_notes VALUES "+strings.Join(notes, ","))
	m := newTeller(t)
	s := newSink(t)
	page := serveBusiness(t, binary, dir, m, labels.String())
	title, _ := json.Marshal(labels.String()) // a text always marshals
	m.on("records", present(`{"table":"customers","limit":100}`, fmt.Sprintf(`{"view":"table","title":%s,"note":%s`, title, title), answer.String()))
	m.on("notes", present(`{"table":"ticket_notes","limit":100}`, `{"view":"list","columns":["body"]`, answer.String()))
	m.on("bars", present(`{"table":"customers","select":["name","id"],"limit":100}`, `{"view":"bar","x":"name","y":["id"]`, "Drawn."))
	m.on("tickets", calls("Here.", "query_records", `{"table":"tickets"}`))
	m.on("propose", calls(answer.String(), "update_record", fmt.Sprintf(`{"table":"customers","id":"1","values":[{"field":"note","value":%s}]}`, title)))
	m.on("words", func(_ int, said *saying) { // as they come, in pieces
		for _, f := range all {
			for _, r := range f.Text {
				said.text(string(r))
			}
			said.text("\n\n")
		}
	})
	b := openTo(t, chromium, s, page)
	urls := b.asked()
	b.as("boss-token")
	for _, said := range []string{"records", "notes", "bars", "tickets", "propose", "words"} {
		b.ask(said)
	}
	b.until(`document.querySelectorAll('.result').length === 3 && !document.querySelector('.result.loading') && document.querySelector('.card.pending')`)
	eval[bool](b, `(document.querySelectorAll('.step > summary').forEach((e) => e.click()), true)`) // lines of calls: the page's own
	b.until(`document.querySelectorAll('.detail pre').length >= 6 && !document.querySelector('.result.loading')`)
	for range 5 { // to the last page
		eval[bool](b, `(document.querySelectorAll('.pages button:last-child:not(:disabled)').forEach((e) => e.click()), true)`)
		b.until(`!document.querySelector('[aria-busy=true]')`)
	}
	b.shot("23-forms")
	b.typed(".search", "records")
	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll('.turn .prose').length >= 6 && document.querySelector('.card.pending')`)

	own, foreign := 0, []string{}
	for _, u := range urls() {
		if strings.HasPrefix(u, page) || strings.HasPrefix(u, "blob:"+page) {
			own++
		} else {
			foreign = append(foreign, u)
		}
	}
	if own < 10 || len(foreign) > 0 || s.hits.Load() > 0 {
		t.Errorf("%d requests of its own, %d that reached the sink, and to elsewhere %q", own, s.hits.Load(), foreign)
	}
	if n := eval[int](b, `document.querySelectorAll('img, svg image, picture, iframe, object, embed, video, audio, #root style, #root link, #root script, #root meta, form[action], [ping], [style*=url]').length`); n != 0 {
		t.Errorf("%d elements came out of texts", n)
	}
	links := eval[[][]string](b, `[...document.querySelectorAll('.turn a')].map((a) => [a.href, a.textContent, a.rel, a.target, a.referrerPolicy])`)
	if len(links) < 10 {
		t.Errorf("only %d links: the answer is not shown", len(links))
	}
	for _, l := range links {
		u, err := url.Parse(l[0])
		if err != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" || l[0] != l[1] || l[2] != "noopener noreferrer" || l[3] != "_blank" || l[4] != "no-referrer" {
			t.Errorf("a link is %q", l)
		}
	}
	if shown := b.text(); !strings.Contains(shown, "leads to attacker.invalid, whatever stands before the @") || !strings.Contains(shown, "letters that may look like others") {
		t.Error("a host that is not what it looks like is shown without a word")
	}
	exported(t, page)
	b.openLink(s)
}

// exported reads the records as the file that the page offers: no cell of it is one that a spreadsheet would run.
func exported(t *testing.T, page string) {
	t.Helper()
	calls := fetch(t, page+"v1/tool-calls?tool=query_records&limit=200")
	var list struct {
		Items []struct{ ID, Operation, Phase string } `json:"items"`
	}
	if err := json.Unmarshal(calls, &list); err != nil {
		t.Fatal(err)
	}
	inert := 0
	for _, c := range list.Items {
		if c.Phase != "turn" {
			continue
		}
		rows, err := csv.NewReader(bytes.NewReader(fetch(t, page+"v1/tool-calls/"+c.ID+"/result?format=csv"))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range slices.Concat(rows...) {
			if strings.HasPrefix(cell, "'=") || strings.HasPrefix(cell, "'\t=") {
				inert++
			}
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) && !regexp.MustCompile(`^[+-]?[0-9.]+$`).MatchString(cell) {
				t.Errorf("a cell of the export would be run: %q", cell)
			}
		}
	}
	if inert < 3 {
		t.Errorf("%d cells were made harmless: the forms are not in the export", inert)
	}
}

// fetch reads from the server past the page, as the boss.
func fetch(t *testing.T, address string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer boss-token")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", address, res.Status, err)
	}
	return body
}

// openLink clicks on a link: only then is it asked for, in a tab of its own, without a word of where it was.
func (b *browser) openLink(s *sink) {
	b.t.Helper()
	eval[bool](b, `{ window.before = location.href; [...document.querySelectorAll('.turn a')].find((a) => a.hostname === 'attacker.invalid').click(); true }`)
	s.wait(b.t)
	if eval[bool](b, `location.href !== window.before`) {
		b.t.Error("the link took the place of the page")
	}
}

// testControl shows the same forms on a page without protection: they do reach the sink, so that it is the protection that holds them back.
func testControl(t *testing.T, chromium, _ string) {
	all := forms(t)
	reader, err := os.ReadFile(filepath.Join("node_modules", "marked", "lib", "marked.umd.js"))
	if err != nil {
		t.Skip("npm ci has not run: ", err)
	}
	s := newSink(t)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/marked.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(reader)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><script src="/marked.js"></script><script>window.alert = () => {}</script><div id="root"></div>`))
	}))
	t.Cleanup(page.Close)
	b := openTo(t, chromium, s, page.URL)
	urls := b.asked()
	var texts []string
	for _, f := range all {
		if f.Channel != "navigate" { // they would leave the page
			texts = append(texts, f.Text)
		}
	}
	list, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	eval[bool](b, fmt.Sprintf(`{ for (const text of %s) { const d = document.createElement('div'); d.innerHTML = marked.parse(text); document.querySelector('#root').append(d) }; true }`, list))
	const enough = 5
	for range enough {
		s.wait(t)
	}
	foreign := 0
	for _, u := range urls() {
		if !strings.HasPrefix(u, page.URL) {
			foreign++
		}
	}
	if foreign < enough {
		t.Errorf("%d requests reached the sink, but the browser tells of %d", s.hits.Load(), foreign)
	}
}
