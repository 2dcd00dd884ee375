package app

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	yamlparser "github.com/goccy/go-yaml/parser"
)

// TestTheDocumentedConfigurationsAreGood: what the README and the documents show is read without a mistake.
func TestTheDocumentedConfigurationsAreGood(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, name := range []string{"../../README.md", "../../docs/configuration.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			seen++
			if _, err := parse(name, []byte(m[1]), func(string) (string, bool) { return "x", true }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := yamlparser.ParseBytes([]byte(m[1]), 0); err != nil {
				t.Errorf("%s: only a reader that knows ${NAME} takes this: %v", name, err)
			}
		}
	}
	if _, err := yamlparser.ParseBytes(demoYAML, 0); err != nil {
		t.Errorf("demo.yaml: %v", err)
	}
	if seen < 2 {
		t.Errorf("%d configurations in the documents", seen)
	}
}

// TestEveryKeyIsDocumented: each key that is built stands in docs/configuration.md with a colon, each that is not is named there.
func TestEveryKeyIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer:
			walk(typ.Elem())
		case reflect.Struct:
			if typ == reflect.TypeFor[FieldList]() || typ == reflect.TypeFor[notYet]() {
				return
			}
			for i := range typ.NumField() {
				f := typ.Field(i)
				form := keyName(f) + ":"
				if f.Type == reflect.TypeFor[notYet]() {
					form = "`" + keyName(f) + "`"
				}
				if !strings.Contains(string(text), form) {
					t.Errorf("docs/configuration.md does not show %s", form)
				}
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[Config]())
}

// TestEveryRouteIsDocumented: docs/http-api.md has each route of the API's own description, with its methods.
func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/http-api.md")
	if err != nil {
		t.Fatal(err)
	}
	d, err := load(shop(t, goodConfig))
	if err != nil {
		t.Fatal(err)
	}
	p, err := build(t.Context(), d, newLog(io.Discard, LogConfig{}, slog.LevelError))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	w := httptest.NewRecorder()
	p.handler(t.Context(), nil).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/openapi.json", nil))
	var api struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &api); err != nil || len(api.Paths) < 10 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	for path, methods := range api.Paths {
		for method := range methods {
			route := regexp.MustCompile("`[A-Z, ]*\\b" + strings.ToUpper(method) + "\\b[A-Z, ]* " + regexp.QuoteMeta(path) + "[`?]")
			if !route.Match(text) {
				t.Errorf("docs/http-api.md does not have %s %s", strings.ToUpper(method), path)
			}
		}
	}
}
