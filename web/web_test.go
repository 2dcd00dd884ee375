package web_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/deputy/web"
)

func get(t *testing.T, o web.Options, method, path string) (status int, header func(string) string, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	web.Handler(o).ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Code, w.Header().Get, w.Body.String()
}

func TestHandler(t *testing.T) {
	t.Parallel()
	_, _, page := get(t, web.Options{}, "GET", "/")
	script := regexp.MustCompile(`src="(/assets/[^"]+\.js)"`).FindStringSubmatch(page)
	style := regexp.MustCompile(`href="(/assets/[^"]+\.css)"`).FindStringSubmatch(page)
	if script == nil || style == nil {
		t.Fatalf("the page has no script or no style:\n%s", page)
	}
	for _, c := range []struct {
		method, path string
		status       int
		kind, cache  string
	}{
		{"GET", "/", 200, "text/html", "no-cache"},
		{"HEAD", "/", 200, "text/html", "no-cache"},
		{"GET", script[1], 200, "text/javascript", "immutable"},
		{"GET", style[1], 200, "text/css", "immutable"},
		{"GET", "/favicon.svg", 200, "image/svg+xml", "no-cache"},
		{"GET", "/index.html", 404, "text/plain", ""},
		{"GET", "/assets/", 404, "text/plain", ""},
		{"GET", "/assets/../index.html", 404, "text/plain", ""},
		{"GET", "/nothing", 404, "text/plain", ""},
		{"POST", "/", 405, "text/plain", ""},
	} {
		status, header, _ := get(t, web.Options{}, c.method, c.path)
		if status != c.status || !strings.HasPrefix(header("Content-Type"), c.kind) || !strings.Contains(header("Cache-Control"), c.cache) {
			t.Errorf("%s %s: %d %s %s", c.method, c.path, status, header("Content-Type"), header("Cache-Control"))
		}
		policy := header("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: no %s in %q", c.path, want, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || header("X-Content-Type-Options") != "nosniff" || header("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %q %q %q", c.path, policy, header("X-Content-Type-Options"), header("Referrer-Policy"))
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	_, _, page := get(t, web.Options{Name: `A "B" <i>`, Demo: true}, "GET", "/")
	for _, want := range []string{`data-name="A &#34;B&#34; &lt;i&gt;" data-demo="true"`, "<title>A &#34;B&#34; &lt;i&gt;</title>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if _, _, page := get(t, web.Options{}, "GET", "/"); strings.Contains(page, "demo") || !strings.Contains(page, `data-name="Deputy"`) {
		t.Error(page)
	}
}

// The page is small, has no script or style of its own in the text, and names no other server.
func TestWhatIsBuilt(t *testing.T) {
	t.Parallel()
	weight := 0
	err := fs.WalkDir(os.DirFS("dist"), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile("dist/" + path)
		weight += gzipped(b)
		for _, url := range regexp.MustCompile(`https?://[a-z0-9.]+[a-z0-9/]*`).FindAllString(string(b), -1) {
			// The names of SVG and MathML, and a sentence in an error of the reader of Markdown: nothing that is asked.
			if !strings.HasPrefix(url, "http://www.w3.org/") && url != "https://github.com/markedjs/marked" {
				t.Errorf("%s names %s", path, url)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if weight == 0 || weight > 100_000 {
		t.Errorf("%d bytes", weight)
	}
	_, _, page := get(t, web.Options{}, "GET", "/")
	if regexp.MustCompile(`<script[^>]*>[^<]|<style|style=|\son[a-z]+=`).MatchString(page) {
		t.Errorf("script or style in the page:\n%s", page)
	}
}

func gzipped(b []byte) int {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // a buffer takes everything
	_ = w.Close()
	return out.Len()
}

// Text never becomes HTML, and what is locked is locked without naming a registry.
func TestSources(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(os.DirFS("src"), "*")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		b, err := os.ReadFile("src/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|\bnew function|localStorage`).Find(b); m != nil {
			t.Errorf("%s uses %s", name, m)
		}
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(lock, []byte(`"resolved"`)) || !bytes.Contains(lock, []byte(`"integrity"`)) {
		t.Error("package-lock.json: keep integrity, leave out resolved (npm config omit-lockfile-registry-resolved)")
	}
}
