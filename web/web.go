// Package web is the page that people see: built by npm run build, embedded, served with nothing from anywhere else.
package web

import (
	"embed"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var files embed.FS

// Options change what the page says.
type Options struct {
	Name string // of the assistant; Deputy if empty
	Demo bool   // offers the people of /demo/people
}

// policy lets the page load its own script, style and icon and talk to its own server; nothing else, and no text becomes HTML.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Handler serves the page at / and its assets. Every other path is not found.
func Handler(o Options) http.Handler {
	dist, err := fs.Sub(files, "dist")
	if err != nil {
		panic("web: " + err.Error()) // the folder is embedded: it is there
	}
	index := page(dist, o)
	assets := http.FileServerFS(dist)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers(w.Header())
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "This page answers to GET.", http.StatusMethodNotAllowed)
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(index) // a reader that is gone is not ours to mend
		case isFile(dist, r.URL.Path):
			w.Header().Set("Cache-Control", caching(r.URL.Path))
			assets.ServeHTTP(w, r)
		default:
			http.Error(w, "There is nothing here. The page is at /.", http.StatusNotFound)
		}
	})
}

func headers(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// page is the built index with the assistant's name in it.
func page(dist fs.FS, o Options) []byte {
	b, err := fs.ReadFile(dist, "index.html")
	if err != nil {
		panic("web: dist/index.html is missing: run npm run build") // the build of the binary had it
	}
	name := o.Name
	if name == "" {
		name = "Deputy"
	}
	name = html.EscapeString(name)
	demo := ""
	if o.Demo {
		demo = ` data-demo="true"`
	}
	return []byte(strings.NewReplacer(
		`data-name="Deputy"`, `data-name="`+name+`"`+demo,
		`<title>Deputy</title>`, `<title>`+name+`</title>`,
	).Replace(string(b)))
}

func isFile(dist fs.FS, name string) bool {
	name = strings.TrimPrefix(path.Clean(name), "/")
	st, err := fs.Stat(dist, name)
	return err == nil && !st.IsDir() && name != "index.html"
}

// caching: what has a hash in its name never changes.
func caching(name string) string {
	if strings.HasPrefix(name, "/assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}
