package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// scheme shows the page as it is in the dark, or by daylight.
func (b *browser) scheme(name string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

// axe audits the page as it stands, light and dark.
func (b *browser) axe(source, state string) {
	b.t.Helper()
	eval[bool](b, source+"; true")
	b.shot("state-" + strings.ReplaceAll(strings.ReplaceAll(state, ",", ""), " ", "-"))
	for _, scheme := range []string{"dark", "light"} {
		b.scheme(scheme)
		found := eval[[]json.RawMessage](b, `axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => ({ id: v.id, help: v.help, nodes: v.nodes.map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary) })))`)
		for _, v := range found {
			b.t.Errorf("%s, %s: %.1200s", state, scheme, v)
		}
	}
}

// axeSource is the auditor's script.
func axeSource(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("axe-core is not there: cd web && npm ci")
		}
		t.Skip("axe-core is not there (cd web && npm ci): the page is not audited")
	}
	return string(b)
}

// testAudit goes through the states of the page with an auditor of accessibility.
func testAudit(t *testing.T, chromium, binary string) {
	axe := axeSource(t)
	m := newTeller(t)
	charts(m)
	b := open(t, chromium, serveBusiness(t, binary, business(t), m, "Tickets"))
	b.until(`document.querySelector('.signin')`)
	b.axe(axe, "sign in")
	b.as("boss-token")
	b.axe(axe, "empty")
	for _, said := range []string{"table", "bar", "pie", "line", "prose", "three changes"} {
		b.ask(said)
	}
	b.until(`document.querySelectorAll('figure.result').length === 4 && !document.querySelector('.result.loading') && document.querySelector('.card.pending .confirm:not(:disabled)') && document.querySelector('.plot canvas')`)
	eval[bool](b, `(document.querySelector('.step > summary').click(), document.querySelector('.menu > summary').click(), document.querySelector('.more').click(), true)`)
	b.until(`document.querySelector('.detail pre')`)
	b.axe(axe, "answers, charts and a card")
	b.do(chromedp.KeyEvent(kb.Escape))
	eval[bool](b, `(document.activeElement.blur(), true)`)
	b.do(chromedp.KeyEvent("?"))
	b.until(`document.querySelector('dialog[open]')`)
	b.axe(axe, "keys")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.settled()
	b.do(chromedp.Click(chromedp.CSS(".card .confirm")))
	b.until(`document.querySelectorAll('.outcome.done').length === 3`)
	b.axe(axe, "done")
	eval[bool](b, `([...document.querySelectorAll('.left > .item')].at(-1).click(), true)`)
	b.until(`document.querySelector('.log tbody tr')`)
	b.axe(axe, "log")
	b.do(chromedp.EmulateViewport(360, 740))
	b.do(chromedp.Click(chromedp.CSS(".narrow button:first-child")))
	b.axe(axe, "narrow, conversations")
	b.do(chromedp.Click(chromedp.CSS(".conversation .item")))
	b.until(`document.querySelector('.card.done')`)
	b.axe(axe, "narrow, conversation")
	b.do(chromedp.Click(chromedp.CSS(".narrow button:last-child")))
	b.axe(axe, "narrow, side")
}

// Nothing needs a mouse: sign in, ask, open a call, sort, copy, confirm, rename, delete, find out about the keys.
func testKeyboard(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	charts(m)
	b := open(t, chromium, serveBusiness(t, binary, business(t), m, "Tickets"))
	keys := func(s string) { b.t.Helper(); b.do(chromedp.KeyEvent(s)) }
	b.until(`document.activeElement?.id === 'token'`)
	keys("boss-token" + kb.Enter)
	b.until(`document.activeElement?.id === 'ask' && document.querySelector('.words li')`)
	keys("table" + kb.Enter)
	b.until(`document.querySelector('.result tbody') && document.querySelector('.ask .primary')`)
	keys(kb.ArrowUp)
	if got := eval[string](b, `document.querySelector('#ask').value`); got != "table" {
		t.Errorf("the last question is %q", got)
	}
	eval[bool](b, `{ const a = document.querySelector('#ask'); a.select(); true }`)
	keys("three changes" + kb.Enter)
	b.until(`document.querySelector('.card.pending .confirm:not(:disabled)')`)
	keys(kb.Escape) // leaves the box
	b.until(`document.activeElement === document.body`)
	keys("j")
	b.until(`document.activeElement.matches('.step > summary')`)
	if ring := eval[string](b, `getComputedStyle(document.activeElement).outlineStyle`); ring != "solid" {
		t.Errorf("the focus is %q", ring)
	}
	keys("o")
	b.until(`document.querySelector('.step[open] .detail pre')`)
	keys("o")
	b.until(`!document.querySelector('.step[open]')`)
	b.tab(`.result .sort`)
	keys(kb.Enter)
	b.until(`document.querySelector('[aria-sort=ascending]') && document.querySelector('.result tbody td').textContent === '1'`)
	keys(kb.Enter)
	b.until(`document.querySelector('[aria-sort=descending]') && document.querySelector('.result tbody td').textContent === '3'`)
	eval[bool](b, `(document.querySelector('.result .scroll').focus(), true)`)
	keys(kb.ArrowDown)
	keys(kb.ArrowRight)
	b.until(`document.querySelector('td.picked').textContent.startsWith('Initech')`)
	b.tab(`.copy`)
	for range 8 {
		keys("j")
		if eval[bool](b, `document.activeElement.matches('.card')`) {
			break
		}
	}
	b.until(`document.activeElement.matches('.card')`)
	b.settled()
	keys("c")
	b.until(`document.activeElement.matches('.confirm')`)
	keys(kb.Enter)
	b.until(`document.querySelectorAll('.outcome.done').length === 3`)
	keys("?")
	b.until(`document.querySelector('dialog[open]')`)
	keys(kb.Escape)
	b.until(`!document.querySelector('dialog')`)
	b.tab(`.more`)
	keys(kb.Enter)
	b.tab(`.choice button`)
	keys(kb.Enter)
	b.until(`document.activeElement.matches('.rename input')`)
	keys("Mine" + kb.Enter)
	b.untilText(".conversation", "Mine")
	b.until(`document.activeElement.matches('.more')`)
	keys("/")
	b.until(`document.activeElement.id === 'ask'`)
}

// tab presses the key until the focus is on what a selector finds.
func (b *browser) tab(selector string) {
	b.t.Helper()
	for range 60 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
	}
	b.t.Fatalf("no number of tabs leads to %s", selector)
}

// testNarrow: on a small screen nothing goes beyond its edge, and the sheets open and close.
func testNarrow(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	charts(m)
	b := open(t, chromium, serveBusiness(t, binary, business(t), m, "Tickets"))
	b.do(chromedp.EmulateViewport(360, 740))
	b.as("boss-token")
	for _, said := range []string{"wide", "bar", "pie", "line", "prose", "three changes"} {
		b.ask(said)
		b.until(`!document.querySelector('.result.loading')`)
		b.fits(said)
		b.shot("narrow-" + strings.ReplaceAll(said, " ", "-"))
	}
	b.do(chromedp.Click(chromedp.CSS(".narrow button:first-child")))
	b.until(`document.querySelector('.left').getClientRects().length > 0`)
	b.shot("narrow-conversations")
	b.fits("conversations")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`document.querySelector('.left').getClientRects().length === 0`)
	b.do(chromedp.Click(chromedp.CSS(".narrow button:last-child")))
	b.do(chromedp.Click(chromedp.CSS(".inbox .item")))
	b.until(`document.querySelector('.right').getClientRects().length === 0 && document.activeElement.matches('.card')`)
	b.settled()
	b.do(chromedp.ScrollIntoView(chromedp.CSS(".card .confirm")))
	b.settled()
	b.do(chromedp.Click(chromedp.CSS(".card .confirm")))
	b.until(`document.querySelectorAll('.outcome.done').length === 3`)
}

func (b *browser) fits(state string) {
	b.t.Helper()
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 360 {
		b.t.Errorf("%s: the page is %d pixels wide on a screen of 360", state, wide)
	}
	if out := eval[[]string](b, `[...document.querySelectorAll('.column *')].filter((e) => !e.closest('.scroll, pre, .sr, svg') && e.getBoundingClientRect().right > 361).map((e) => e.outerHTML.slice(0, 120))`); len(out) > 0 {
		b.t.Errorf("%s: beyond the edge stand %q", state, out)
	}
}

// charts teaches a model to show everything that can be shown.
func charts(m *teller) {
	months := `{"table":"months","select":["month","revenue","orders","region"],"order_by":["month"]}`
	m.on("table", present(`{"table":"customers"}`, `{"view":"table","title":"Customers"`))
	m.on("wide", present(`{"table":"wide"}`, `{"view":"table","title":"Wide"`))
	m.on("bar", present(months, `{"view":"bar","x":"region","y":["revenue"],"title":"Revenue by region, EUR"`))
	m.on("pie", present(months, `{"view":"pie","x":"region","y":["orders"],"title":"Orders by region"`))
	m.on("line", present(months, `{"view":"line","x":"month","y":["revenue"],"title":"Revenue by month, EUR"`))
	m.on("number", present(months, `{"view":"number","y":["revenue"],"title":"January"`))
	m.on("prose", calls("### What I found\n\nThere are **three** customers, `Acme AS` the largest:\n\n1. Acme AS\n2. Globex\n   - calls on Mondays\n3. Initech\n\n> A quiet month.\n\n| Region | Orders |\n|---|---|\n| North | 41 |\n\n```sql\nselect a_very_long_name_of_a_column_that_goes_beyond from customers\n```\n\nSee [the handbook](https://handbook.example/returns?from=deputy)."))
	m.on("three changes", calls("Prepared.",
		"update_record", `{"table":"customers","id":"1","values":[{"field":"phone","value":"+47 555 77 777"},{"field":"details","value":"{\"address\":{\"city\":\"Bergen\",\"zip\":\"0150\"},\"tags\":[\"a\"]}"}]}`,
		"update_record", `{"table":"customers","id":"2","values":[{"field":"note","value":"p\u0430ypal, call \u202eback"}]}`,
		"delete_record", `{"table":"ticket_notes","id":"2"}`))
}

// present is an answer that reads rows, shows them, and says something.
func present(query, view string, text ...string) answer {
	return func(step int, s *saying) {
		switch {
		case step == 1:
			s.call("query_records", query)
		case step == 2:
			s.call("present_results", fmt.Sprintf(`%s,"call_id":"%s"}`, view, s.last))
		default:
			s.text(strings.Join(append(text, "That is all."), "\n\n"))
		}
	}
}
