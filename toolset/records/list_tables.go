package records

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed list_tables.md
var listTablesText string

type listTablesIn struct {
	Term  string `json:"term,omitzero"`
	After string `json:"after,omitzero"`
}

// TableLine is one table of list_tables. Label is left out where the name says as much. Fields are some of those that the term was found in,
// where no table was found by its name or label.
type TableLine struct {
	Name    string        `json:"name"`
	Label   string        `json:"label,omitzero"`
	Verbs   []deputy.Verb `json:"verbs"`
	Comment string        `json:"comment,omitzero"`
	Fields  []string      `json:"fields,omitempty"`
}

// TableList is what list_tables answers. Next is the after of the next page, More how many tables come there and later: left out where there
// are more than are counted.
type TableList struct {
	Tables []TableLine `json:"tables"`
	Next   string      `json:"next,omitzero"`
	More   int         `json:"more,omitzero"`
}

// Bounds of a page, besides query.TablePage.
const (
	mostListed  = 12 << 10 // bytes
	mostCounted = 2000     // tables that are looked at to say how many come after
	mostFields  = 5        // of one table, that a term was found in
)

func listTables() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "list_tables", Label: "Looked at the tables", Description: strings.TrimSpace(listTablesText),
		Operation: "GET /tables", Offered: readable,
	}, runListTables)
}

func runListTables(ctx context.Context, s *deputy.Scope, in listTablesIn) (deputy.Result, error) {
	found, err := find(ctx, s.View().Catalog(), in)
	if err != nil {
		return deputy.Result{}, err
	}
	out, used := TableList{Tables: []TableLine{}, More: found.beyond}, 0
	for i, t := range found.page {
		line, n, err := tableLine(ctx, s.View(), t)
		if err != nil {
			return deputy.Result{}, err
		}
		if i > 0 && used+n > mostListed {
			out.More += len(found.page) - i
			break
		}
		out.Tables, used = append(out.Tables, line), used+n
	}
	if out.More > 0 {
		out.Next = out.Tables[len(out.Tables)-1].Name
	}
	if !found.counted {
		out.More = 0
	}
	return deputy.Result{Value: out}, nil
}

// listing is a page of tables, and how many come after it.
type listing struct {
	page    []query.Summary
	beyond  int
	any     bool // also before the page
	counted bool // beyond is all of them
}

func (l *listing) add(t query.Summary, after string) {
	l.any = true
	switch {
	case t.Name <= after:
	case len(l.page) < query.TablePage:
		l.page = append(l.page, t)
	default:
		l.beyond++
	}
}

// find goes through the tables that a term finds, once. Those with the term in name or label are meant; where there are none, those with a field
// that has it.
func find(ctx context.Context, c query.Catalog, in listTablesIn) (listing, error) {
	var named, byField listing
	meant := func() *listing {
		if named.any {
			return &named
		}
		return &byField
	}
	after, seen, all := in.After, 0, true
	if in.Term != "" { // what comes before says what is meant
		after = ""
	}
	err := eachSummary(ctx, c, in.Term, after, func(t query.Summary) bool {
		if t.Fields == nil {
			named.add(t, in.After)
		} else {
			byField.add(t, in.After)
		}
		seen++
		all = seen < mostCounted || meant().beyond == 0
		return all
	})
	out := meant()
	out.counted = all
	return *out, err
}

// eachSummary goes through the tables of a list until f says no.
func eachSummary(ctx context.Context, c query.Catalog, term, after string, f func(query.Summary) bool) error {
	for {
		some, err := c.Tables(ctx, term, after)
		if err != nil || len(some) == 0 {
			return err
		}
		for _, t := range some {
			if !f(t) {
				return nil
			}
		}
		after = some[len(some)-1].Name
	}
}

// tableLine is a table as it is listed, and how many bytes that takes.
func tableLine(ctx context.Context, v *deputy.View, t query.Summary) (TableLine, int, error) {
	rights, err := v.Rights(ctx, t.Name)
	if err != nil {
		return TableLine{}, 0, err
	}
	line := TableLine{Name: t.Name, Label: unlike(t.Label, t.Name), Verbs: verbs(rights), Comment: short(t.Comment), Fields: t.Fields}
	if more := len(t.Fields) - mostFields; more > 0 {
		line.Fields = append(t.Fields[:mostFields:mostFields], fmt.Sprintf("… and %d more", more))
	}
	return line, size(line), nil
}

// size is how many bytes something takes in an answer.
func size(v any) int {
	raw, err := json.Marshal(v)
	if err != nil { // the answer as a whole will say so
		return 0
	}
	return len(raw) + 1
}

func verbs(r deputy.Rights) []deputy.Verb {
	out := []deputy.Verb{deputy.Read}
	if !r.Create.None() {
		out = append(out, deputy.Create)
	}
	if !r.Update.None() {
		out = append(out, deputy.Update)
	}
	if r.Delete {
		out = append(out, deputy.Delete)
	}
	return out
}

// unlike is a label, unless the name says as much.
func unlike(label, name string) string {
	if plain(label) == plain(name) {
		return ""
	}
	return label
}

// plain is a text without case, and without what parts its words.
func plain(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch r {
		case '_', ' ', '-':
			return -1
		}
		return r
	}, s))
}

// short keeps a foreign comment to a line.
func short(comment string) string {
	const most = 160
	line, _, more := strings.Cut(strings.TrimSpace(comment), "\n")
	if r := []rune(line); len(r) > most {
		line, more = string(r[:most]), true
	}
	if more {
		line += "…"
	}
	return line
}
