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
	mostCounted = 20       // pages of the host's, to say how many tables come after
	mostFields  = 5        // of one table, that a term was found in
)

func listTables() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "list_tables", Label: "Looked at the tables", Description: strings.TrimSpace(listTablesText),
		Operation: "GET /tables", Offered: readable,
	}, runListTables)
}

func runListTables(ctx context.Context, s *deputy.Scope, in listTablesIn) (deputy.Result, error) {
	c := s.View().Catalog()
	meant, err := meantBy(ctx, c, in.Term)
	if err != nil {
		return deputy.Result{}, err
	}
	out, size := TableList{Tables: []TableLine{}}, 0
	err = eachSummary(ctx, c, in.Term, in.After, func(t query.Summary) (bool, error) {
		if !meant(t) {
			return true, nil
		}
		line, n, err := tableLine(ctx, s.View(), t)
		if err != nil {
			return false, err
		}
		if k := len(out.Tables); k == query.TablePage || k > 0 && size+n > mostListed {
			out.Next = out.Tables[k-1].Name
			return false, nil
		}
		out.Tables, size = append(out.Tables, line), size+n
		return true, nil
	})
	if err == nil && out.Next != "" {
		out.More, err = further(ctx, c, in.Term, out.Next, meant)
	}
	return deputy.Result{Value: out}, err
}

// meantBy says which of the tables that a term finds are meant: those with the term in name or label; where there are none, those with a field
// that has it.
func meantBy(ctx context.Context, c query.Catalog, term string) (func(query.Summary) bool, error) {
	named := term == ""
	if named {
		return func(query.Summary) bool { return true }, nil
	}
	err := eachSummary(ctx, c, term, "", func(t query.Summary) (bool, error) {
		named = t.Fields == nil
		return !named, nil
	})
	return func(t query.Summary) bool { return (t.Fields == nil) == named }, err
}

// eachSummary goes through the tables of a list until f says no, or an error.
func eachSummary(ctx context.Context, c query.Catalog, term, after string, f func(query.Summary) (bool, error)) error {
	for {
		some, err := c.Tables(ctx, term, after)
		if err != nil || len(some) == 0 {
			return err
		}
		for _, t := range some {
			if more, err := f(t); err != nil || !more {
				return err
			}
		}
		after = some[len(some)-1].Name
	}
}

// further is how many of the tables meant come after one; 0 where there are more than are counted.
func further(ctx context.Context, c query.Catalog, term, after string, meant func(query.Summary) bool) (n int, err error) {
	seen := 0
	err = eachSummary(ctx, c, term, after, func(t query.Summary) (bool, error) {
		if meant(t) {
			n++
		}
		seen++
		return seen < mostCounted*query.TablePage, nil
	})
	if seen == mostCounted*query.TablePage {
		n = 0
	}
	return n, err
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
