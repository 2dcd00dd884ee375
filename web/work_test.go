package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// newTab opens a page in another tab of the same browser.
func (b *browser) newTab(url string) *browser {
	b.t.Helper()
	ctx, done := chromedp.NewContext(b.ctx)
	n := &browser{t: b.t, ctx: ctx}
	b.t.Cleanup(done)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800)); err != nil {
		b.t.Fatal(err)
	}
	n.watch()
	n.do(chromedp.Navigate(url))
	return n
}

// typed writes into a box.
func (b *browser) typed(selector, text string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// say sends a message and does not wait for the answer.
func (b *browser) say(text string) {
	b.t.Helper()
	b.typed("#ask", text+"\r")
}

// words are numbered ones, so that one that is missing or stands twice is seen; some hundreds are sent at once, a few are held back.
func words(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "wørd%d🙂 ", i)
	}
	return b.String()
}

// shownWords are the first of them as a page shows them.
func shownWords(n int) string { return strings.TrimSpace(words(0, n)) }

// lastProse is the text of the newest answer.
const lastProse = `[...document.querySelectorAll('.turn')].at(-1)?.querySelector('.prose')?.textContent.trim()`

// A line that is lost in the middle of an answer, and found again: no word twice, none missing.
func testMidAnswer(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	p := newDropping(t, serveBusiness(t, binary, business(t), m, "Tickets"))
	on := m.slowly("tell me")
	b := open(t, chromium, p.URL)
	b.as("boss-token")
	b.say("tell me")
	on.say(t, words(0, 500))
	b.untilWords(500)
	p.drop()
	b.untilText(".working", "Reconnecting")
	b.shot("17-line-lost")
	on.say(t, words(500, 900))
	on.say(t, words(900, 1300))
	p.restore()
	b.untilWords(1300)
	p.drop()
	p.restore()
	on.say(t, words(1300, 1302))
	on.end()
	b.until(`document.querySelector('.ask .primary')`)
	if got := eval[string](b, lastProse); got != shownWords(1302) {
		t.Errorf("the answer is %q", got)
	}
	if n := eval[int](b, `document.querySelectorAll('.turn').length`); n != 1 {
		t.Errorf("%d turns", n)
	}
}

// A server that is away is waited for: what was typed stays, and the page goes on by itself.
func testAway(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	m.on("hello", calls("Hello."))
	p := newDropping(t, serveBusiness(t, binary, business(t), m, "Tickets"))
	b := open(t, chromium, p.URL)
	b.as("boss-token")
	b.ask("hello")
	p.drop()
	b.do(chromedp.Click(chromedp.CSS(".new")))
	b.do(chromedp.Click(chromedp.CSS(".conversation .item")))
	b.untilText(".banner.down", "The server does not answer")
	b.shot("18-away")
	p.restore()
	b.until(`!document.querySelector('.banner.down') && document.querySelector('.turn .prose')`)
	b.do(chromedp.Click(chromedp.CSS(".new")))
	b.say("what the model has no answer to") // what is said of that is the provider's sentence
	b.untilText(".ended.bad", `The model "`)
	b.untilText(".ended.bad", "Nothing was changed.")
}

// untilWords waits until the newest answer is so many words, and none other.
func (b *browser) untilWords(n int) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(%s ?? '').includes('wørd%d🙂')`, lastProse, n-1))
	got, want := eval[string](b, lastProse), shownWords(n)
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	b.t.Fatalf("the answer is %d bytes instead of %d, and differs at %d: %.60q", len(got), len(want), at, got[at:])
}

// Two tabs in one conversation: each sees what the other says and decides; a message while the other's answer is written is kept.
func testTabs(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	url := serveBusiness(t, binary, business(t), m, "Tickets")
	on := m.slowly("slowly")
	m.on("phone", calls("Prepared.", "update_record", `{"table":"customers","id":"1","values":[{"field":"phone","value":"+47 1"}]}`))
	m.on("again", calls("Again."))
	a := open(t, chromium, url)
	a.as("boss-token")
	a.ask("change the phone")
	a.until(`document.querySelector('.card.pending .confirm:not(:disabled)')`)
	b := a.newTab(eval[string](a, `location.href`))
	b.as("boss-token")
	b.until(`document.querySelector('.card.pending .confirm:not(:disabled)')`)

	a.say("slowly")
	on.say(t, words(0, 500))
	b.untilWords(500)
	b.until(`document.querySelector('.stop')`)
	// The box of the other tab offers to stop, not to send; what gets past it is refused, and kept.
	if status := eval[int](b, `fetch('/v1/conversations/' + location.hash.slice(1) + '/turns', { method: 'POST', headers: { Authorization: 'Bearer boss-token', 'Content-Type': 'application/json' }, body: '{"text":"again"}' }).then((r) => r.status)`); status != http.StatusConflict {
		t.Errorf("a second turn is answered with %d", status)
	}
	on.say(t, words(500, 503))
	on.end()
	for _, tab := range []*browser{a, b} {
		tab.until(`document.querySelector('.ask .primary')`)
		if got := eval[string](tab, lastProse); got != shownWords(503) {
			t.Errorf("a tab shows %q", got)
		}
	}

	b.settled()
	b.do(chromedp.Click(chromedp.CSS(".card .confirm")))
	b.until(`document.querySelector('.card.done')`)
	a.until(`document.querySelector('.card.done') && !document.querySelector('.inbox .item')`)
	a.ask("again")
	b.until(lastProse + ` === 'Again.'`)
}

// A message that another tab's turn stands in the way of is put back into the box, with a sentence.
func testConflict(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	url := serveBusiness(t, binary, business(t), m, "Tickets")
	on := m.slowly("slowly")
	m.on("hello", calls("Hello."))
	b := open(t, chromium, url)
	b.as("boss-token")
	b.ask("hello")
	// Another door, of which no tab knows.
	eval[bool](b, `{ void fetch('/v1/conversations/' + location.hash.slice(1) + '/turns', { method: 'POST', headers: { Authorization: 'Bearer boss-token', 'Content-Type': 'application/json' }, body: '{"text":"slowly"}' }); true }`)
	on.say(t, words(0, 500))
	b.say("and this")
	b.untilText(".bottom .bad", "still being written here")
	b.until(`document.querySelector('#ask').value === 'and this'`)
	b.untilWords(500)
	b.shot("19-conflict")
	on.end()
	b.until(`document.querySelector('.ask .primary')`)
	m.on("and this", calls("That too."))
	b.say("")
	b.until(lastProse + ` === 'That too.'`)
}

// A message while a proposal waits: the answer comes, the card stays, and is confirmed afterwards.
func testPendingMeanwhile(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	url := serveBusiness(t, binary, business(t), m, "Tickets")
	m.on("phone", calls("Prepared.", "update_record", `{"table":"customers","id":"1","values":[{"field":"phone","value":"+47 1"}]}`))
	m.on("city", calls("Prepared too.", "update_record", `{"table":"customers","id":"1","values":[{"field":"details","value":"{\"address\":{\"city\":\"Bergen\",\"zip\":\"0150\"},\"tags\":[\"a\"]}"}]}`))
	m.on("hello", calls("Hello."))
	b := open(t, chromium, url)
	b.as("boss-token")
	b.ask("change the phone")
	b.until(`document.querySelector('.card.pending .confirm:not(:disabled)')`)
	b.ask("hello")
	if got := eval[string](b, lastProse); got != "Hello." {
		t.Errorf("the answer is %q", got)
	}
	b.ask("and the city")
	b.until(`document.querySelectorAll('.card.pending .confirm:not(:disabled)').length === 2 && document.querySelectorAll('.inbox .item').length === 2`)
	if card := eval[string](b, `[...document.querySelectorAll('.card')].at(-1).innerText`); !strings.Contains(card, "city") || !strings.Contains(card, "Bergen") || strings.Contains(card, "0150") {
		t.Errorf("the card does not show the paths that change, and those alone:\n%s", card)
	}
	b.shot("20-two-cards")
	b.do(chromedp.Click(chromedp.CSS(".inbox li:last-child .item")))
	b.until(`document.activeElement.matches('.card')`)
	b.settled()
	b.do(chromedp.KeyEvent("c"))
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector('.card.done')`)
	if got := eval[string](b, `document.querySelector('.card.done').innerText`); !strings.Contains(got, "Done by you at") || !strings.Contains(got, "+47 1") {
		t.Errorf("the first card says\n%s", got)
	}
	// The second was made of the record as it was before.
	b.settled()
	b.do(chromedp.Click(chromedp.CSS(".card.pending .confirm")))
	b.until(`document.querySelector('.card.stale') && document.querySelector('.card.pending .confirm')`)
	b.settled()
	b.do(chromedp.Click(chromedp.CSS(".card.pending .confirm")))
	b.until(`document.querySelectorAll('.card.done').length === 2`)
}

// A turn that is stopped while a tool runs: the line says so, nothing counts on, and the next message is answered.
func testCancelled(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	dir := business(t)
	url := serveBusiness(t, binary, dir, m, "Tickets")
	m.on("hello", calls("Hello."))
	m.on("rows", calls("Here.", "query_records", `{"table":"customers"}`))
	b := open(t, chromium, url)
	b.as("boss-token")
	db := openBusiness(t, dir)
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	b.say("rows")
	b.until(`document.querySelector('.step .busy')`)
	b.until(`document.querySelector('.step .busy .time')`) // it says that it goes on
	b.shot("21-at-work")
	b.do(chromedp.Click(chromedp.CSS(".stop")))
	b.until(`document.querySelector('.ask .primary')`)
	if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	got := eval[string](b, `document.querySelector('.turn').innerText`)
	if !strings.Contains(got, "You stopped this.") || eval[bool](b, `!!document.querySelector('.busy')`) {
		t.Errorf("it shows\n%s", got)
	}
	b.shot("22-stopped")
	b.ask("hello")
	if got := eval[string](b, lastProse); got != "Hello." {
		t.Errorf("the answer is %q", got)
	}
	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll('.turn').length === 2 && document.querySelector('.turn .ended')`)
}

// An answer of 200 KB arrives whole, while the page stays quick, and is there again after a reload.
func testLongAnswer(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	url := serveBusiness(t, binary, business(t), m, "Tickets")
	var text strings.Builder
	for i := 0; text.Len() < 200_000; i++ {
		fmt.Fprintf(&text, "Paragraph %d with **bold** and `code`, and words enough to be as long as a person would write it.\n\n", i)
	}
	m.on("long", func(_ int, s *saying) {
		for rest := text.String(); rest != ""; {
			n := min(997, len(rest))
			s.text(rest[:n])
			rest = rest[n:]
		}
	})
	b := open(t, chromium, url)
	b.as("boss-token")
	eval[bool](b, `{ window.longest = 0; let last = performance.now(); const look = () => { const now = performance.now(); window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(look) }; look(); true }`)
	b.ask("long")
	want := strings.Count(text.String(), "Paragraph")
	whole := fmt.Sprintf(`document.querySelectorAll('.prose > p').length === %d && document.querySelectorAll('.prose strong').length === %d && document.querySelector('.prose > p:last-child').textContent.startsWith('Paragraph %d with bold')`, want, want, want-1)
	b.until(whole)
	if longest := eval[float64](b, `window.longest`); longest > 5000 {
		t.Errorf("the page stood still for %.0f ms", longest)
	}
	b.do(chromedp.Reload())
	b.until(whole)
	b.knots(m)
}

// knots are texts that make a reader of Markdown work without end; they are shown as they are, at once.
func (b *browser) knots(m *teller) {
	b.t.Helper()
	for i, knot := range []string{"**_a", "> ", "1. ", "- > ", "[", "![[", "|a", "<a href=\"", "~~*", "a.b.", "    "} {
		said := fmt.Sprintf("knot %d", i)
		m.on(said, calls(strings.Repeat(knot, 3900)+"@b\n\nthe end"))
		began := time.Now()
		b.ask(said)
		b.until(lastProse + `?.endsWith('the end')`)
		if took := time.Since(began); took > 10*time.Second {
			b.t.Errorf("%q takes %s", knot, took)
		}
	}
}
