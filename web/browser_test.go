package web_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// patience is how long anything on the page may take.
const patience = 20 * time.Second

// build makes the binary.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "deputy")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "example.com/deputy/cmd/deputy").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// demo starts the demo in a fresh folder; it returns the address of the page.
func demo(t *testing.T, binary string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "demo", "--listen", "127.0.0.1:0", "--dir", t.TempDir())
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "ANTHROPIC_API_KEY=")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "http://"); ok {
			go func() {
				for lines.Scan() { // a full pipe would hold the server up
				}
				_ = cmd.Wait() // ended by the end of the test
			}()
			return "http://" + strings.TrimSpace(url)
		}
	}
	t.Fatal("the demo did not say where its page is")
	return ""
}

// browser is a tab of a headless browser.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
}

// chromium finds the browser; without it a test is skipped, but not in CI.
func chromium(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is not installed: apt-get install chromium")
		}
		t.Skip("chromium is not installed (apt-get install chromium): the page is not tested in a browser")
	}
	return path
}

// open opens the demo's page in a browser of its own.
func open(t *testing.T, chromium, deputy string) *browser {
	t.Helper()
	dir, err := os.MkdirTemp("", "deputy-browser")
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.Flag("lang", "en-GB"), chromedp.Flag("hide-scrollbars", true))
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	ctx, done := chromedp.NewContext(ctx)
	b := &browser{t: t, ctx: ctx}
	t.Cleanup(func() {
		done()
		stop()
		_ = os.RemoveAll(dir) // the browser may still be writing to it
	})
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800)); err != nil { // the browser lives as long as the context that it starts with
		t.Fatal(err)
	}
	b.watch()
	b.do(chromedp.Navigate(demo(t, deputy)))
	b.until(`document.querySelector('.words li')`)
	return b
}

// watch collects what the page complains of: a blocked request, an exception, an error of the console.
func (b *browser) watch() {
	messages := chromedp.Console(b.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "warning" {
				b.mu.Lock()
				b.problems = append(b.problems, m.String())
				b.mu.Unlock()
			}
		}
	}()
}

func (b *browser) complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.problems
	b.problems = nil
	return out
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.shot("failed")
		b.t.Fatal(err)
	}
}

func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.shot("failed")
		b.t.Fatalf("%s: %v; the page says:\n%s", expression, err, b.text())
	}
	return out
}

// until waits for a condition, looked at with every frame.
func (b *browser) until(condition string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`new Promise((ok) => { const look = () => { if (%s) ok(true); else requestAnimationFrame(look) }; look() })`, condition))
}

func (b *browser) text() string {
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return out
}

// untilText waits for words in the last element that a selector finds.
func (b *browser) untilText(selector, words string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`[...document.querySelectorAll(%q)].at(-1)?.textContent.includes(%q)`, selector, words))
}

// ask says something and waits for the end of the answer.
func (b *browser) ask(text string) {
	b.t.Helper()
	turns := eval[int](b, `document.querySelectorAll('.turn').length`)
	b.do(chromedp.SendKeys(chromedp.CSS("#ask"), text+"\r"))
	b.until(fmt.Sprintf(`document.querySelectorAll('.turn').length === %d && document.querySelector('.ask .primary')`, turns+1))
}

// paste is ask with characters that no keyboard has.
func (b *browser) paste(text string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`{ const a = document.querySelector('#ask'); a.value = %q; a.dispatchEvent(new Event('input', { bubbles: true })) }`, text))
	b.do(chromedp.Click(chromedp.CSS(".ask .primary:not(:disabled)")))
}

// shot keeps a picture in the folder DEPUTY_SCREENSHOTS, if that is set.
func (b *browser) shot(name string) {
	dir := os.Getenv("DEPUTY_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Log("screenshot: ", err)
	}
}

// settled waits until a card has stood still for long enough to be clicked.
func (b *browser) settled() {
	b.t.Helper()
	eval[bool](b, `new Promise((ok) => setTimeout(() => ok(true), 800))`)
}

func TestBrowser(t *testing.T) {
	path := chromium(t)
	binary := build(t)
	for name, test := range map[string]func(*testing.T, *browser){"main": testMain, "safe": testSafe, "stale": testStale, "looks": testLooks} {
		t.Run(name, func(t *testing.T) { test(t, open(t, path, binary)) })
	}
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
