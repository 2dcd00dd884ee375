package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A table of 1,000 rows and 60 columns: a page of it at a time, sorted over all of it, columns hidden, and the page stays quick.
func testWide(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	charts(m)
	b := open(t, chromium, serveBusiness(t, binary, business(t), m, "Tickets"))
	b.as("boss-token")
	b.ask("wide")
	b.until(`document.querySelectorAll('.result tbody tr').length === 20`)
	if cells := eval[int](b, `document.querySelectorAll('.result tbody tr:first-child td').length`); cells != wideColumns+1 {
		t.Errorf("%d columns", cells)
	}
	first := `document.querySelector('.result tbody td').textContent`
	b.do(chromedp.Click(chromedp.CSS(".pages button:last-child")))
	b.until(first + ` === '21'`)
	if foot := eval[string](b, `document.querySelector('.result footer').innerText`); !strings.Contains(foot, "Rows 21–40") {
		t.Errorf("the foot says %q", foot)
	}
	// The last column holds what a row of all thousand has most of, not one of this page.
	eval[bool](b, `([...document.querySelectorAll('.sort')].at(-1).click(), true)`)
	b.until(`[...document.querySelectorAll('th')].at(-1).getAttribute('aria-sort') === 'ascending' && document.querySelector('.result footer').innerText.includes('of 1,000')`)
	eval[bool](b, `([...document.querySelectorAll('.sort')].at(-1).click(), true)`)
	b.until(`document.querySelector('[aria-sort=descending]')`)
	last := eval[[]int](b, `[...document.querySelectorAll('.result tbody tr')].map((r) => Number([...r.cells].at(-1).textContent))`)
	most := 0
	for i := 1; i <= wideRows; i++ {
		most = max(most, (i*7919)%1009)
	}
	if last[0] != most {
		t.Errorf("the first of the sorted rows has %d, the most is %d", last[0], most)
	}
	for i := 1; i < len(last); i++ {
		if last[i] > last[i-1] {
			t.Fatalf("the rows are not sorted: %d", last)
		}
	}
	eval[bool](b, `new Promise((ok) => { const next = () => { const b = document.querySelector('.pages button:last-child'); if (b.disabled) return ok(true); b.click(); requestAnimationFrame(next) }; next() })`)
	b.until(`document.querySelector('.pages button:last-child').disabled && document.querySelector('.result footer').innerText.includes('Rows 981–1,000 of 1,000')`)
	eval[bool](b, `(document.querySelector('.menu > summary').click(), true)`)
	eval[bool](b, `([...document.querySelectorAll('.choices input')].slice(5).forEach((i) => i.click()), true)`)
	b.until(`document.querySelectorAll('.result thead th').length === 5`)
	eval[bool](b, `(document.querySelector('.choices button').click(), true)`)
	b.until(`document.querySelectorAll('.result thead th').length === 6`)
	b.shot("24-wide")
	if wide := eval[bool](b, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the page scrolls sideways")
	}
}

// A conversation of 2,000 messages opens at its end, quickly, and goes back as far as one likes.
func testManyMessages(t *testing.T, chromium, binary string) {
	const turns = 1000
	m := newTeller(t)
	m.on("say ", calls("Said."))
	url := serveBusiness(t, binary, business(t), m, "Tickets")
	type made struct {
		ID string `json:"id"`
	}
	c := post[made](t, url+"v1/conversations", map[string]string{"title": "Long"})
	for i := range turns {
		post[made](t, url+"v1/conversations/"+c.ID+"/turns", map[string]string{"text": fmt.Sprintf("say number %d.", i)})
	}
	b := open(t, chromium, url)
	b.as("boss-token")
	b.do(chromedp.Click(chromedp.CSS(".conversation .item")))
	b.until(fmt.Sprintf(`[...document.querySelectorAll('.turn')].at(-1)?.innerText.includes('say number %d.') && [...document.querySelectorAll('.turn')].every((t) => t.querySelector('.prose'))`, turns-1))
	shown := eval[int](b, `document.querySelectorAll('.turn').length`)
	if shown == 0 || shown > 100 {
		t.Errorf("%d turns are drawn at once", shown)
	}
	if end := eval[bool](b, `(() => { const s = document.querySelector('.stream'); return s.scrollHeight - s.scrollTop - s.clientHeight < 40 })()`); !end {
		t.Error("it does not open at its end")
	}
	if asked := eval[int](b, `performance.getEntriesByType('resource').length`); asked > 200 {
		t.Errorf("%d requests", asked)
	}
	before := eval[float64](b, `(() => { document.querySelector('.stream').scrollTop = 0; return document.querySelector('.turn').getBoundingClientRect().top })()`)
	top := eval[string](b, `document.querySelector('.turn').innerText`)
	b.do(chromedp.Click(chromedp.CSS(".earlier button")))
	b.until(fmt.Sprintf(`document.querySelectorAll('.turn').length > %d && [...document.querySelectorAll('.turn')].every((t) => t.querySelector('.prose'))`, shown))
	after := eval[float64](b, fmt.Sprintf(`[...document.querySelectorAll('.turn')].find((t) => t.innerText === %q).getBoundingClientRect().top`, top))
	if after < before-200 || after > before+400 {
		t.Errorf("what was read moved from %.0f to %.0f", before, after)
	}
	b.ask("say one more.")
	b.untilText(".turn", "Said.")
}

// Conversations are found by their titles, renamed and deleted.
func testConversations(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	m.on("about", calls("Said."))
	b := open(t, chromium, serveBusiness(t, binary, business(t), m, "Tickets"))
	b.as("boss-token")
	b.untilText(".hint", "No conversation yet")
	for _, what := range []string{"apples", "pears", "plums"} {
		b.do(chromedp.Click(chromedp.CSS(".new")))
		b.until(`!document.querySelector('.turn')`)
		b.ask("about " + what)
	}
	titles := `[...document.querySelectorAll('.conversation .item')].map((e) => e.textContent).join()`
	b.until(titles + ` === 'about plums,about pears,about apples'`)
	b.typed(".search", "pear")
	b.until(titles + ` === 'about pears'`)
	b.do(chromedp.Click(chromedp.CSS(".more")))
	b.do(chromedp.Click(chromedp.CSS(".choice button")))
	b.shot("25-rename")
	b.typed(".rename input", "Pears & <b>more</b>\r")
	b.until(titles + ` === 'Pears & <b>more</b>'`)
	b.typed(".search", " and none such")
	b.untilText(".hint", "No title has")
	eval[bool](b, `{ const s = document.querySelector('.search'); s.value = ''; s.dispatchEvent(new Event('input', { bubbles: true })); true }`)
	b.until(`document.querySelectorAll('.conversation').length === 3`)
	b.do(chromedp.Click(chromedp.CSS(".conversation:nth-child(2) .more")))
	b.do(chromedp.Click(chromedp.CSS(".choice button:last-child")))
	b.untilText(".choice", "The log of calls stays.")
	b.shot("26-delete")
	b.do(chromedp.Click(chromedp.CSS(".choice .danger")))
	b.until(`document.querySelectorAll('.conversation').length === 2`)
	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll('.conversation').length === 2`)

	// What is asked while a conversation is still being read stays where it is.
	eval[bool](b, `{ const get = fetch, wait = new Promise((go) => { window.go = go }); window.fetch = async (...a) => { const r = await get(...a); if (/messages/.test(a[0])) await wait; return r }; true }`)
	b.do(chromedp.Click(chromedp.CSS(".conversation:last-child .item")))
	b.untilText(".stream", "Opening")
	b.ask("about cherries")
	b.untilText(".turn", "Said.")
	eval[bool](b, `{ window.go(); true }`)
	b.until(`[...document.querySelectorAll('.turn')].map((t) => t.innerText.replace(/\s+/g, ' ').trim()).join() === 'about apples Said.,about cherries Said.'`)
}

// Two people: each sees their own conversations and what they may do; a token that is put away is gone.
func testTwoPeople(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	charts(m)
	b := open(t, chromium, serveBusiness(t, binary, business(t), m, "Tickets"))
	b.as("boss-token")
	b.ask("table")
	b.until(`document.querySelectorAll('.result thead th').length === 5`)
	b.do(chromedp.Click(chromedp.CSS(".person button")))
	b.until(`document.querySelector('.signin')`)
	if kept := eval[string](b, `JSON.stringify(sessionStorage) + JSON.stringify(localStorage) + document.cookie + location.href`); strings.Contains(kept, "boss-token") {
		t.Errorf("the token is still kept in %s", kept)
	}
	b.as("clerk-token")
	if n := eval[int](b, `document.querySelectorAll('.conversation').length`); n != 0 {
		t.Errorf("%d conversations of the other person", n)
	}
	b.ask("table")
	b.until(`document.querySelectorAll('.result thead th').length === 2`)
	if words := eval[string](b, `document.querySelector('.words').innerText`); !strings.Contains(words, "Customers") || strings.Contains(words, "Tickets") {
		t.Errorf("the clerk may: %s", words)
	}
}

// What can be drawn is drawn, of the rows of the call alone; all of it is a table too.
func testCharts(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	charts(m)
	b := open(t, chromium, serveBusiness(t, binary, business(t), m, "Tickets"))
	b.as("boss-token")
	b.ask("number")
	b.untilText(".number", "18,250.50")
	b.ask("bar")
	b.until(`document.querySelectorAll('.bar').length === 6`)
	if bars := eval[string](b, `[...document.querySelectorAll('.bar')].map((e) => e.innerText.replace(/\s+/g, ' ')).join('; ')`); bars != "North 18,250.50; South 16,900.00; West 21,480.75; East 19,875.20; Centre 24,310.00; Islands 26,995.95" {
		t.Errorf("the bars are %s", bars)
	}
	b.shot("27-bar")
	b.ask("pie")
	b.until(`document.querySelectorAll('.pie path').length === 6`)
	b.shot("28-pie")
	b.ask("line")
	b.until(`document.querySelector('.plot canvas')`)
	if spoken := eval[string](b, `document.querySelector('.plot').getAttribute('aria-label')`); !strings.Contains(spoken, "26,995.95") {
		t.Errorf("the line says %q", spoken)
	}
	b.settled()
	b.shot("29-line")
	b.scheme("dark")
	b.settled()
	b.shot("30-line-dark")
	eval[bool](b, `([...document.querySelectorAll('.result footer button')].filter((e) => e.innerText === 'Table').at(-1).click(), true)`)
	b.until(`document.querySelectorAll('.result tbody tr').length === 6`)
	if got := b.complaints(); len(got) > 0 {
		t.Errorf("the page complained: %q", got)
	}
}

// What cannot be shown whole cannot be confirmed: the card says why, and has no button for it. What the server does not know is said plainly.
func testUnshowable(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	m.on("long note", calls("Prepared.", "update_record", fmt.Sprintf(`{"table":"customers","id":"1","values":[{"field":"note","value":"%s"}]}`, strings.Repeat("a long note ", 2000))))
	m.on("phone", calls("Prepared.", "update_record", `{"table":"customers","id":"1","values":[{"field":"phone","value":"+47 1"}]}`))
	url := serveBusiness(t, binary, business(t), m, "Tickets")
	b := open(t, chromium, url)
	b.as("boss-token")
	b.ask("a long note")
	b.until(`document.querySelector('.card.pending .actions button:not(:disabled)')`)
	b.settled()
	b.shot("31-unshowable")
	card := eval[string](b, `document.querySelector('.card').innerText`)
	for _, want := range []string{"it cannot be confirmed", "24,000 characters", "and a card shows 8,000", "more characters that are not shown"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card does not say %q:\n%.2000s", want, card)
		}
	}
	if n := eval[int](b, `document.querySelectorAll('.card .confirm').length`); n != 0 {
		t.Error("it can be confirmed")
	}
	b.do(chromedp.Click(chromedp.CSS(".card .actions button")))
	b.until(`document.querySelector('.card.rejected')`)

	p := newStating(t, url, "unknown")
	b = open(t, chromium, p.URL)
	b.as("boss-token")
	b.ask("the phone")
	b.untilText(".card", "Not known: it was sent at")
	if card := eval[string](b, `document.querySelector('.card').innerText`); !strings.Contains(card, "Check the record before you do it again.") {
		t.Errorf("the card says\n%s", card)
	}
	b.shot("32-unknown")
}
