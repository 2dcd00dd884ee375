package policy

import (
	"context"
	"fmt"
	"strings"
)

// Ability is what may be done to one table.
type Ability struct {
	Table, Label string
	Rights       Rights
}

// maxAbilities bounds a list of them.
const maxAbilities = 500

// Abilities is what may be done, table by table, as data and in words.
func (g *Grants) Abilities(ctx context.Context) (out []Ability, words []string, err error) {
	for after := ""; len(out) < maxAbilities; {
		page, err := g.Catalog().Tables(ctx, "", after)
		if err != nil || len(page) == 0 {
			return out, words, err
		}
		for _, s := range page {
			t, err := g.grant(ctx, s.Name)
			if err != nil {
				return nil, nil, err
			}
			out = append(out, Ability{s.Name, s.Label, t.Rights})
			words = append(words, t.words())
		}
		after = page[len(page)-1].Name
	}
	return out, words, nil
}

// words are the rights as a sentence: "Customers: read, only those meant for you; change phone, e-mail."
func (t *Grant) words() string {
	var parts []string
	for _, w := range []struct {
		verb string
		f    Fields
	}{{"read", t.Read}, {"add", t.Create}, {"change", t.Update}} {
		switch {
		case w.f.All:
			parts = append(parts, w.verb)
		case !w.f.None():
			parts = append(parts, w.verb+" "+t.labels(w.f.Names))
		}
		if w.verb == "read" && t.Limited {
			parts[0] += ", only those meant for you"
		}
	}
	if t.Rights.Delete {
		parts = append(parts, "delete")
	}
	return fmt.Sprintf("%s: %s.", t.Full.Label, strings.Join(parts, "; "))
}

func (t *Grant) labels(names []string) string {
	var out []string
	for _, n := range names {
		if f, ok := t.Full.Field(n); ok && f.Label != "" {
			n = strings.ToLower(f.Label)
		}
		out = append(out, n)
	}
	return strings.Join(out, ", ")
}
