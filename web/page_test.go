package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestBrowser(t *testing.T) {
	path := chromium(t)
	binary := build(t)
	for name, test := range map[string]func(*testing.T, *browser){"main": testMain, "safe": testSafe, "stale": testStale, "looks": testLooks} {
		t.Run(name, func(t *testing.T) {
			b := open(t, path, demo(t, binary))
			b.until(`document.querySelector('.words li')`)
			test(t, b)
		})
	}
	t.Run("line lost", func(t *testing.T) {
		p := newBreaking(t, demo(t, binary))
		testLineLost(t, open(t, path, p.URL), p)
	})
	t.Run("lines", func(t *testing.T) {
		p := newRewriting(t, serve(t, binary))
		testLines(t, open(t, path, p.URL))
	})
	t.Run("withheld", func(t *testing.T) { testWithheld(t, path, binary) })
	for name, test := range map[string]func(t *testing.T, chromium, binary string){
		"mid answer": testMidAnswer, "away": testAway, "tabs": testTabs, "conflict": testConflict, "pending meanwhile": testPendingMeanwhile,
		"cancelled": testCancelled, "long answer": testLongAnswer, "forms": testForms, "control": testControl, "audit": testAudit,
		"keyboard": testKeyboard, "narrow": testNarrow, "wide": testWide, "many messages": testManyMessages, "conversations": testConversations,
		"two people": testTwoPeople, "charts": testCharts, "unshowable": testUnshowable, "toolsets": testToolsets,
	} {
		t.Run(name, func(t *testing.T) { test(t, path, binary) })
	}
	t.Run("served", func(t *testing.T) { testServed(t, open(t, path, serve(t, binary))) })
}

// The whole of the page in one go: ask, see rows, propose, confirm, become another person.
func testMain(t *testing.T, b *browser) {
	b.shot("1-start")
	if model := eval[string](b, `document.querySelector('.right').innerText`); !strings.Contains(model, "built-in rules, no language model") {
		t.Errorf("the page does not say what the offline model is:\n%s", model)
	}

	b.ask("customers in Norway")
	b.until(`document.querySelectorAll('.result tbody tr').length > 0`)
	b.shot("2-table")
	if steps := eval[int](b, `document.querySelectorAll('.step').length`); steps == 0 {
		t.Error("no tool line")
	}
	id := eval[string](b, `[...document.querySelectorAll('.result tbody tr')][0].cells[0].innerText`)

	const phone = "+47 555 01 234"
	b.ask("change the phone of customer " + id + " to " + phone)
	b.until(`document.querySelector('.card.pending .actions .primary:not(:disabled)')`)
	card := eval[string](b, `document.querySelector('.card').innerText`)
	for _, want := range []string{phone, "→", "you said this", "Nothing is changed yet", "Confirm 1 change"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card does not say %q:\n%s", want, card)
		}
	}
	b.shot("2-card")
	eval[bool](b, `document.querySelector('.card .actions .primary').click() || true`)
	b.untilText(".card .message", "has just moved")
	if s := eval[bool](b, `document.querySelector('.card').classList.contains('pending')`); !s {
		t.Error("a click on a card that had just moved was taken")
	}
	b.settled()
	b.shot("3-proposal")
	b.do(chromedp.Click(chromedp.CSS(".card .actions .primary")))
	b.until(`document.querySelector('.card.done')`)
	b.until(`document.querySelectorAll('.right .item').length === 0`)
	b.shot("4-done")

	b.ask("show customer " + id)
	b.untilText(".turn", phone)

	b.become("demo-manager")
	if turns := eval[int](b, `document.querySelectorAll('.turn').length`); turns != 0 {
		t.Error("the other person's conversation is still shown")
	}
	b.shot("5-manager")
	if got := b.complaints(); len(got) > 0 {
		t.Errorf("the page complained: %q", got)
	}
}

// become picks another person of the demo.
func (b *browser) become(token string) {
	b.t.Helper()
	before := eval[string](b, `document.querySelector('.words').innerText`)
	eval[bool](b, fmt.Sprintf(`{ const s = document.querySelector('#person'); s.value = %q; s.dispatchEvent(new Event('change', { bubbles: true })) }`, token))
	b.until(fmt.Sprintf(`document.querySelector('.words li') && document.querySelector('.words').innerText !== %q`, before))
}

// Nothing that a value holds is hidden or runs, a reload finds everything again, and nothing is asked of another server.
func testSafe(t *testing.T, b *browser) {
	b.become("demo-manager")
	b.paste("change the note of order 1 to <img src=x onerror=alert(1)>\u202egnp.exe")
	b.until(`document.querySelector('.card.pending')`)
	if seen := eval[string](b, `document.querySelector('.card .ctl').textContent`); seen != "[U+202E]" {
		t.Errorf("the override is shown as %q", seen)
	}
	if n := eval[int](b, `document.querySelectorAll('img, iframe, #root script').length`); n != 0 {
		t.Errorf("%d elements came out of a text", n)
	}
	b.shot("6-hidden-characters")
	b.do(chromedp.Reload())
	b.until(`document.querySelector('.card.pending .actions button:not(:disabled)')`)
	b.settled()
	b.do(chromedp.Click(chromedp.CSS(".card .actions button")))
	b.until(`document.querySelector('.card.rejected')`)
	b.shot("7-rejected")

	foreign := eval[[]string](b, `performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith(location.origin + '/'))`)
	if len(foreign) > 0 {
		t.Errorf("asked elsewhere: %q", foreign)
	}
	if blocked := eval[string](b, `(() => { try { document.querySelector('#root').innerHTML = '<p>x</p>'; return 'allowed' } catch { return 'blocked' } })()`); blocked != "blocked" {
		t.Error("text can become HTML")
	}
	if kept := eval[string](b, `location.href + document.cookie + JSON.stringify(localStorage)`); strings.Contains(kept, "demo-") {
		t.Errorf("the token stands in %s", kept)
	}
}

// asManager runs in the page, as another person and past what it shows: a question, and its first proposal confirmed.
const asManager = `(async () => {
  const send = async (path, body) => (await fetch(path, { method: 'POST', headers: { Authorization: 'Bearer demo-manager', 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json()
  const c = await send('/v1/conversations', {})
  const t = await send('/v1/conversations/' + c.id + '/turns', { text: %q })
  return (await send('/v1/proposals/' + t.proposals[0].id + '/confirm', { hash: t.proposals[0].hash })).state
})()`

// A record that another person changes meanwhile is not written; the new difference is shown. A stopped assistant says so.
func testStale(t *testing.T, b *browser) {
	b.ask("customers in Norway")
	b.until(`document.querySelectorAll('.result tbody tr').length > 0`)
	id := eval[string](b, `document.querySelector('.result tbody tr').cells[0].innerText`)
	b.ask("change the phone of customer " + id + " to +47 555 01 234")
	b.until(`document.querySelector('.card.pending .actions .primary:not(:disabled)')`)
	if state := eval[string](b, fmt.Sprintf(asManager, "change the phone of customer "+id+" to +47 555 99 999")); state != "done" {
		t.Fatalf("the other change is %s", state)
	}
	b.settled()
	b.do(chromedp.Click(chromedp.CSS(".card.pending .actions .primary")))
	b.until(`document.querySelector('.card.stale') && document.querySelector('.card.pending')`)
	if card := eval[string](b, `document.querySelector('.card.pending').innerText`); !strings.Contains(card, "+47 555 99 999") {
		t.Errorf("the new card does not show what is there now:\n%s", card)
	}
	b.shot("11-stale")
	b.complaints() // the browser notes the 409

	b.become("demo-manager")
	b.do(chromedp.SendKeys(chromedp.CSS(".switch input"), "Stock-taking"), chromedp.Click(chromedp.CSS(".switch button")))
	b.untilText(".banner", "Stock-taking")
	b.shot("12-stopped")
	eval[bool](b, `document.querySelector('.banner button').click() || true`)
	b.until(`!document.querySelector('.banner')`)
}

// The page on a narrow screen, in the dark, and its log.
func testLooks(t *testing.T, b *browser) {
	b.ask("how many tickets are there?")
	b.until(`document.querySelector('.result .number, .result tbody')`)
	b.ask("change the phone of customer 6 to +47 555 01 234")
	b.until(`document.querySelector('.card.pending .confirm:not(:disabled)')`)
	b.settled()
	b.shot("readme")
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}); err != nil {
		t.Fatal(err)
	}
	b.shot("8-dark")
	eval[bool](b, `document.querySelector('.step summary, .steps summary').click() || true`)
	eval[bool](b, `[...document.querySelectorAll('.left .item')].at(-1).click() || true`)
	b.until(`document.querySelector('.log tbody tr')`)
	b.shot("9-log")
	b.do(chromedp.EmulateViewport(360, 740))
	b.shot("10-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 360 {
		t.Errorf("the page is %d pixels wide on a screen of 360", wide)
	}
}

const config = `
listen: 127.0.0.1:0
store: "sqlite:%[1]s/served.db"
assistant: { name: Clerk }
host: { database: "sqlite:%[1]s/business.db", tables: { customers: { record_label: name } } }
models: [ { name: replay, provider: scripted, scenario: "%[1]s/scenario.yaml" } ]
auth: { tokens: [ { token: secret-token, id: boss, name: Boss, roles: [boss] } ] }
policy: { roles: { boss: { tools: ["*"], tables: { "*": { read: true, create: true, update: true, delete: true } } } } }
`

const scenario = `
- when: { user: prose }
  text: |
    Hello **bold** and ` + "`code`" + `, <b>no tag</b>, 🙂 æøå.

    1. one
    2. two [a⠀b where.example](https://elsewhere.example/x) ![pixel](https://elsewhere.example/y.png)
- when: { user: three things }
  calls:
    - { tool: update_record, arguments: { table: customers, id: "6", values: [ { field: phone, value: "+47 555 77 777" }, { field: email, value: "p\u0430ypal@example.com" } ] } }
    - { tool: update_record, arguments: { table: customers, id: "7", values: [ { field: phone, value: "+47 555 88 888" } ] } }
    - { tool: delete_record, arguments: { table: ticket_notes, id: "1" } }
- { when: { user: three things, step: 2 }, text: Prepared. }
- when: { user: one thing }
  calls: [ { tool: update_record, arguments: { table: customers, id: "6", values: [ { field: phone, value: "+47 555 77 777" } ] } } ]
- { when: { user: one thing, step: 2 }, text: Prepared. }
- when: { user: some rows }
  calls: [ { tool: query_records, arguments: { table: customers, select: [ name, phone ], limit: 3 } } ]
- when: { user: some rows, step: 2 }
  calls: [ { tool: present_results, arguments: { view: table, call_id: c1, title: "Secret heading" } } ]
- { when: { user: some rows, step: 3 }, text: Here. }
`

// serve starts a server with a scripted model over the demo's business.
func serve(t *testing.T, binary string) string {
	t.Helper()
	dir := t.TempDir()
	start(t, binary, "demo", "--listen", "127.0.0.1:0", "--dir", dir) // makes the business
	return serveIn(t, binary, dir, config)
}

// serveIn starts it in a folder where the business is already.
func serveIn(t *testing.T, binary, dir, config string) string {
	t.Helper()
	for name, text := range map[string]string{"deputy.yaml": fmt.Sprintf(config, dir), "scenario.yaml": scenario} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return start(t, binary, "serve", "--config", filepath.Join(dir, "deputy.yaml"))
}

// Signing in with a token, a model's text, and a group of several changes as one card.
func testServed(t *testing.T, b *browser) {
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), "“secret-token”\r"))
	b.untilText(".signin .bad", "copy it again")
	eval[bool](b, `(document.querySelector('#token').select(), true)`)
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), "wrong\r"))
	b.untilText(".signin .bad", "not accepted")
	b.complaints() // the browser notes the 401
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), "secret-token\r"))
	b.until(`document.querySelector('.words li') && document.querySelector('.left h1').innerText === 'Clerk'`)

	b.ask("prose")
	if got := eval[string](b, `document.querySelector('.prose').innerHTML`); got != `<p>Hello <strong>bold</strong> and <code>code</code>, &lt;b&gt;no tag&lt;/b&gt;, 🙂 æøå.</p><ol start="1"><li>one</li><li>two <span class="link"><bdi class="exact">a<span class="ctl">[U+2800]</span>b where.example</bdi> <a href="https://elsewhere.example/x" target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer"><bdi>https://<strong>elsewhere.example</strong>/x</bdi></a><span class="warning"> (leads to elsewhere.example)</span></span> <span class="faint">[image not shown: <span class="link"><bdi class="exact">pixel</bdi> <a href="https://elsewhere.example/y.png" target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer"><bdi>https://<strong>elsewhere.example</strong>/y.png</bdi></a></span>]</span></li></ol>` {
		t.Errorf("the text became %s", got)
	}

	b.ask("three things")
	b.until(`document.querySelector('.card.pending .actions button:not(:disabled)')`)
	b.settled()
	b.shot("13-group")
	card := eval[string](b, `document.querySelector('.card').innerText`)
	for _, want := range []string{"3 changes that belong together", "from neither you nor data", "mixes Latin and Cyrillic letters", "Reject all", "Reject this one"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card does not say %q:\n%s", want, card)
		}
	}
	if first := eval[string](b, `document.querySelector('.card .part').innerText`); !strings.Contains(first, "Delete") {
		t.Errorf("the delete does not stand first:\n%s", first)
	}
	b.do(chromedp.Click(chromedp.CSS(".card .part:nth-of-type(1) h4 button")))
	b.until(`document.querySelector('.outcome.rejected')`)
	b.settled()
	if button := eval[string](b, `document.querySelector('.card .actions button:last-child').innerText`); button != "Confirm 3 changes" {
		t.Errorf("the button says %q", button)
	}
	b.do(chromedp.Click(chromedp.CSS(".card .actions button:last-child")))
	b.until(`document.querySelectorAll('.outcome.done').length === 2`)
	b.shot("14-group-done")
	if got := b.complaints("401"); len(got) > 0 {
		t.Errorf("the page complained: %q", got)
	}
}

// breaking stands before a server and cuts the line of every new turn behind its first event: at once where hasty is set, so that the
// page does not see it, else once the page has seen it and looks at its conversations.
type breaking struct {
	*httptest.Server
	hasty        atomic.Bool
	looked       chan struct{}
	cut, resumed atomic.Int32
}

func newBreaking(t *testing.T, to string) *breaking {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	b := &breaking{looked: make(chan struct{}, 100)}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	proxy.ModifyResponse = func(r *http.Response) error {
		switch {
		case r.Request.Method == http.MethodPost && strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream"):
			b.cut.Add(1)
			for len(b.looked) > 0 {
				<-b.looked
			}
			r.Body = &untilEvent{ReadCloser: r.Body, wait: b.wait}
		case r.Request.URL.Path == "/v1/conversations":
			b.looked <- struct{}{}
		case r.Request.Header.Get("Last-Event-ID") != "":
			b.resumed.Add(1)
		}
		return nil
	}
	b.Server = httptest.NewServer(proxy)
	t.Cleanup(b.Close)
	return b
}

func (b *breaking) wait() {
	if !b.hasty.Load() {
		<-b.looked
	}
}

// untilEvent breaks off behind the first event, after a wait.
type untilEvent struct {
	io.ReadCloser
	wait func()
	done bool
}

func (u *untilEvent) Read(p []byte) (int, error) {
	if u.done {
		u.wait()
		return 0, errors.New("cut")
	}
	n, err := u.ReadCloser.Read(p)
	if i := bytes.Index(p[:n], []byte("\n\n")); i >= 0 {
		n, u.done = i+2, true
	}
	return n, err
}

// A lost line loses nothing: the page goes on behind the last event that it saw.
func testLineLost(t *testing.T, b *browser, p *breaking) {
	b.until(`document.querySelector('.words li')`)
	b.ask("how many tickets are there?")
	b.untilText(".turn .prose", "tickets")
	if p.cut.Load() != 1 || p.resumed.Load() == 0 {
		t.Errorf("cut %d times, resumed %d times", p.cut.Load(), p.resumed.Load())
	}
	p.hasty.Store(true)
	b.ask("how many customers are there?")
	b.untilText(".turn .prose", "customers")
	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll('.turn').length === 2 && document.querySelectorAll('.turn .prose').length === 2`)
}
