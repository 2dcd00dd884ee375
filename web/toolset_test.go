package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

const analysisActive = `document.querySelector('.toolsets input')?.checked === true`

// Toolsets: switched by the model and by the person, each conversation for itself, and as they stand after the page is opened again.
func testToolsets(t *testing.T, chromium, binary string) {
	m := newTeller(t)
	dir := business(t)
	file := filepath.Join(dir, "deputy.yaml")
	config := fmt.Appendf(nil, ownConfig+"toolsets: { core: [] }\n", dir, m.URL, "Tickets")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, chromium, start(t, binary, "serve", "--config", file))
	b.as("boss-token")
	b.until(`document.querySelector('.toolsets input')?.checked === false`)
	m.on("switch it on", calls("It is on.", "enable_toolset", `{"names":["analysis"]}`))
	b.say("switch it on")
	b.until(analysisActive)
	b.until(lastProse + ` === 'It is on.'`)
	b.do(chromedp.Click(chromedp.CSS(".toolsets input")))
	b.until(`document.querySelector('.toolsets input')?.checked === false`)
	b.do(chromedp.Reload())
	b.until(lastProse + ` === 'It is on.'`)
	b.until(`document.querySelector('.toolsets input')?.checked === false`)
	b.do(chromedp.Click(chromedp.CSS(".toolsets input")))
	b.until(analysisActive)
	b.do(chromedp.Reload())
	b.until(analysisActive)
	b.do(chromedp.Click(chromedp.CSS(".left .new")))
	b.until(`!location.hash && document.querySelector('.toolsets input')?.checked === false`)
	b.do(chromedp.Click(chromedp.CSS(".toolsets input"))) // a conversation that begins with it
	b.until(analysisActive + ` && location.hash.startsWith('#cnv_')`)
	m.on("and now", func(_ int, s *saying) { s.text("Now.") })
	b.say("and now")
	b.until(lastProse + ` === 'Now.'`)
	b.until(analysisActive)
}
