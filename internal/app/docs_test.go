package app

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
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
		}
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
