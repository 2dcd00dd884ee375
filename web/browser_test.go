package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is how long anything on the page may take.
const patience = 40 * time.Second

// build makes the binary, unless DEPUTY_BINARY names one that is made of these sources.
func build(t *testing.T) string {
	t.Helper()
	if made := os.Getenv("DEPUTY_BINARY"); made != "" {
		return made
	}
	binary := filepath.Join(t.TempDir(), "deputy")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "example.com/deputy/cmd/deputy").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// start runs the binary until the test ends, and returns the address that it names in its first lines.
func start(t *testing.T, binary string, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, arguments...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "ANTHROPIC_API_KEY=")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { w.CloseWithError(cmd.Wait()) }()
	address := regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/`)
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if url := address.FindString(lines.Text()); url != "" {
			go func() { _, _ = io.Copy(io.Discard, r) }() // a full pipe would hold the server up
			return url
		}
		t.Log(lines.Text())
	}
	t.Fatal("the server did not say where its page is")
	return ""
}

// demo starts the demo in a fresh folder; it returns the address of the page.
func demo(t *testing.T, binary string) string {
	t.Helper()
	return start(t, binary, "demo", "--listen", "127.0.0.1:0", "--dir", t.TempDir())
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

// open opens a page in a browser of its own.
func open(t *testing.T, chromium, url string, more ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	dir, err := os.MkdirTemp("", "deputy-browser")
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.Flag("lang", "en-GB"), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("disable-background-networking", true))
	options = append(options, more...)
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
	b.do(chromedp.Navigate(url))
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

// complaints are what the page complained of since the last time, but for what is expected to be in one.
func (b *browser) complaints(expected ...string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := slices.DeleteFunc(b.problems, func(p string) bool {
		return slices.ContainsFunc(expected, func(e string) bool { return strings.Contains(p, e) })
	})
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
		b.t.Fatalf("%.300s: %v; the page says:\n%.3000s", expression, err, b.text())
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
