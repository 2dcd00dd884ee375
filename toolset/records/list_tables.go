package records

import (
	"context"
	_ "embed"
	"encoding/json"
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
)

func listTables() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "list_tables", Label: "Looked at the tables", Description: strings.TrimSpace(listTablesText),
		Operation: "GET /tables", Offered: readable,
	}, runListTables)
}

func runListTables(ctx context.Context, s *deputy.Scope, in listTablesIn) (deputy.Result, error) {
	found, err := tablePage(ctx, s.View().Catalog(), in)
	if err != nil {
		return deputy.Result{}, err
	}
	out, size := TableList{Tables: []TableLine{}}, 0
	for _, t := range found {
		line, n, err := tableLine(ctx, s.View(), t)
		if err != nil {
			return deputy.Result{}, err
		}
		if k := len(out.Tables); k == query.TablePage || k > 0 && size+n > mostListed {
			out.Next = out.Tables[k-1].Name
			break
		}
		out.Tables, size = append(out.Tables, line), size+n
	}
	if out.Next != "" {
		out.More, err = further(ctx, s.View().Catalog(), in.Term, out.Next)
	}
	return deputy.Result{Value: out}, err
}

// tableLine is a table as it is listed, and how many bytes that takes.
func tableLine(ctx context.Context, v *deputy.View, t query.Summary) (TableLine, int, error) {
	rights, err := v.Rights(ctx, t.Name)
	if err != nil {
		return TableLine{}, 0, err
	}
	line := TableLine{Name: t.Name, Label: unlike(t.Label, t.Name), Verbs: verbs(rights), Comment: short(t.Comment)}
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

// tablePage collects a page, and one table more where there is one: a catalog may answer with fewer tables than there are left.
func tablePage(ctx context.Context, c query.Catalog, in listTablesIn) (found []query.Summary, err error) {
	after := in.After
	for len(found) <= query.TablePage {
		some, err := c.Tables(ctx, in.Term, after)
		if err != nil || len(some) == 0 {
			return found, err
		}
		found, after = append(found, some...), some[len(some)-1].Name
	}
	return found[:query.TablePage+1], nil
}

// further is how many tables come after one; 0 where there are more than are counted.
func further(ctx context.Context, c query.Catalog, term, after string) (n int, err error) {
	for range mostCounted {
		some, err := c.Tables(ctx, term, after)
		if err != nil || len(some) == 0 {
			return n, err
		}
		n, after = n+len(some), some[len(some)-1].Name
	}
	return 0, nil
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
