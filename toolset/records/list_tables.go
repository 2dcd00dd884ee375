package records

import (
	"context"
	_ "embed"
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

// TableLine is one table of list_tables. Label is left out where the name says as much.
type TableLine struct {
	Name    string        `json:"name"`
	Label   string        `json:"label,omitzero"`
	Verbs   []deputy.Verb `json:"verbs"`
	Comment string        `json:"comment,omitzero"`
}

// TableList is what list_tables answers. Next is the after of the next page.
type TableList struct {
	Tables []TableLine `json:"tables"`
	Next   string      `json:"next,omitzero"`
}

func listTables() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "list_tables", Label: "Looked at the tables", Description: strings.TrimSpace(listTablesText),
		Operation: "GET /tables", Offered: readable,
	}, runListTables)
}

func runListTables(ctx context.Context, s *deputy.Scope, in listTablesIn) (deputy.Result, error) {
	found, more, err := tablePage(ctx, s.View().Catalog(), in)
	if err != nil {
		return deputy.Result{}, err
	}
	out := TableList{Tables: []TableLine{}}
	for _, t := range found {
		rights, err := s.View().Rights(ctx, t.Name)
		if err != nil {
			return deputy.Result{}, err
		}
		out.Tables = append(out.Tables, TableLine{t.Name, unlike(t.Label, t.Name), verbs(rights), short(t.Comment)})
	}
	if more {
		out.Next = found[len(found)-1].Name
	}
	return deputy.Result{Value: out}, nil
}

// tablePage collects a page: a catalog may answer with fewer tables than there are left.
func tablePage(ctx context.Context, c query.Catalog, in listTablesIn) (found []query.Summary, more bool, err error) {
	after := in.After
	for len(found) <= query.TablePage {
		some, err := c.Tables(ctx, in.Term, after)
		if err != nil || len(some) == 0 {
			return found, false, err
		}
		found, after = append(found, some...), some[len(some)-1].Name
	}
	return found[:query.TablePage], true, nil
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

func plain(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(s))
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
