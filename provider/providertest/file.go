package providertest

import (
	"flag"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// file is a case: its sections in their order.
type file struct {
	name     string
	sections []*section
	fresh    map[string]string // what the sections that are held should say
}

// section is a part of a file: a line "-- title --" and what follows it.
type section struct{ title, body string }

func readFile(tb testing.TB, name string) *file {
	tb.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	f := &file{name: name, fresh: map[string]string{}}
	heads := regexp.MustCompile(`(?m)^-- (.+) --\n`).FindAllSubmatchIndex(raw, -1)
	for i, h := range heads {
		end := len(raw)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		f.sections = append(f.sections, &section{string(raw[h[2]:h[3]]), string(raw[h[1]:end])})
	}
	return f
}

// answers are what the server says.
func (f *file) answers(tb testing.TB) []answer {
	tb.Helper()
	var out []answer
	for _, s := range f.sections {
		title, more, _ := strings.Cut(s.title, ";")
		words := strings.Fields(title)
		if words[0] != "answer" {
			continue
		}
		if len(words) != 3 {
			tb.Fatalf("%s: %q is not: answer STATUS TYPE; …", f.name, s.title)
		}
		a := answer{body: s.body, header: map[string]string{"Content-Type": words[2]}}
		var err error
		if a.status, err = strconv.Atoi(words[1]); err != nil {
			tb.Fatalf("%s: %v", f.name, err)
		}
		for _, m := range strings.Split(more, ";") {
			name, value, ok := strings.Cut(strings.TrimSpace(m), ": ")
			switch {
			case ok:
				a.header[name] = value
			case name != "":
				a.end = name
			}
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		tb.Fatalf("%s has no answer", f.name)
	}
	return out
}

// hold compares a section, or keeps what it should say for save.
func (f *file) hold(t *testing.T, title, got string) {
	t.Helper()
	if updating() {
		f.fresh[title] = got
		return
	}
	for _, s := range f.sections {
		if s.title == title {
			if s.body != got {
				t.Errorf("%s: %s:\ngot\n%s\nwant\n%s", f.name, title, got, s.body)
			}
			return
		}
	}
	t.Errorf("%s has no section %q; it should be\n%s", f.name, title, got)
}

// save writes what was held, where that is asked for.
func (f *file) save(t *testing.T) {
	t.Helper()
	if !updating() || t.Failed() {
		return
	}
	var b strings.Builder
	for _, s := range f.sections {
		if body, ok := f.fresh[s.title]; ok {
			s.body = body
			delete(f.fresh, s.title)
		}
		b.WriteString("-- " + s.title + " --\n" + s.body)
	}
	for _, title := range []string{"body", "chunks", "turn"} {
		if body, ok := f.fresh[title]; ok {
			b.WriteString("-- " + title + " --\n" + body)
		}
	}
	if err := os.WriteFile(f.name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// updating says whether the test was run with -update.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}
