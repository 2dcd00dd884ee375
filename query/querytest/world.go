package querytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"example.com/deputy/query"
)

// World is a random catalog and a small database that fits it: foreign keys lead somewhere or are NULL, decimals have the scale of their field,
// timestamps whole microseconds. The same random source makes the same world.
type World struct {
	Tables Tables
	Rows   Rows
	Zone   *time.Location
	Now    time.Time
}

// Env is what expressions over a table of this world are checked against; labels are refused.
func (w *World) Env(table string) query.Env {
	return query.Env{Catalog: w.Tables, Table: table, Now: w.Now, Zone: w.Zone}
}

// Check parses and checks a text over a table; conditions must be true or false.
func (w *World) Check(table, text string, condition bool) (query.Expr, error) {
	src, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	if condition {
		return query.Condition(context.Background(), w.Env(table), src)
	}
	return query.Check(context.Background(), w.Env(table), src)
}

// NewWorld makes two to four tables of up to five rows, with parents, children, a table that refers to itself, a composite key, and every type.
func NewWorld(r *rand.Rand) *World {
	w := &World{Zone: zone(r), Now: instants()[r.IntN(len(instants()))].Add(time.Hour), Rows: Rows{}}
	names := []string{"alphas", "betas", "gammas", "deltas"}[:2+r.IntN(3)]
	for _, name := range names {
		w.Tables = append(w.Tables, newTable(r, name))
	}
	for i, t := range w.Tables {
		for n := range 1 + r.IntN(2) {
			w.relate(t, w.Tables[r.IntN(len(w.Tables))], "up"+strconv.Itoa(n))
		}
		if i == 0 {
			w.relate(t, t, "own")
		}
	}
	w.composite(r)
	for _, t := range w.Tables {
		nameChildren(t)
		w.fill(r, t)
	}
	for _, t := range w.Tables {
		w.connect(r, t)
	}
	return w
}

func zone(r *rand.Rand) *time.Location {
	names := []string{"UTC", "Europe/Oslo", "America/New_York", "Asia/Kathmandu"}
	z, err := time.LoadLocation(names[r.IntN(len(names))])
	if err != nil {
		return time.UTC
	}
	return z
}

func newTable(r *rand.Rand, name string) *query.Table {
	t := &query.Table{Name: name, Label: name, Key: []string{"id"}, RecordLabel: "title"}
	t.Fields = []query.Field{
		{Name: "id", Type: query.Int, Required: true},
		{Name: "title", Type: query.String},
		{Name: "state", Type: query.String, Values: []string{"Open", "Closed", "on Hold"}},
	}
	for _, f := range []query.Field{
		{Name: "code", Type: query.String}, {Name: "size", Type: query.Int}, {Name: "price", Type: query.Dec, Scale: 2}, {Name: "cost", Type: query.Dec, Scale: 2},
		{Name: "flag", Type: query.Bool}, {Name: "due", Type: query.Date}, {Name: "made_at", Type: query.Timestamp}, {Name: "data", Type: query.JSON},
		{Name: "token", Type: query.String, Secret: true},
	} {
		if r.IntN(4) > 0 {
			t.Fields = append(t.Fields, f)
		}
	}
	for _, name := range []string{"title", "code", "size"} {
		if _, ok := t.Field(name); ok {
			t.Search = append(t.Search, name)
		}
	}
	return t
}

// relate adds a foreign key and both relations.
func (w *World) relate(from, to *query.Table, name string) {
	column := name + "_id"
	from.Fields = append(from.Fields, query.Field{Name: column, Type: query.Int})
	from.Relations = append(from.Relations, query.Relation{Name: name, Table: to.Name, From: []string{column}, To: []string{"id"}})
	to.Relations = append(to.Relations, query.Relation{Name: from.Name + "_by_" + column, Table: from.Name, From: []string{"id"}, To: []string{column}, Many: true})
}

// nameChildren names children by their table alone where it leads here only once, and is another.
func nameChildren(t *query.Table) {
	times := map[string]int{}
	for _, r := range t.Relations {
		if r.Many {
			times[r.Table]++
		}
	}
	for i, r := range t.Relations {
		if r.Many && times[r.Table] == 1 && r.Table != t.Name {
			t.Relations[i].Name = r.Table
		}
	}
}

// composite adds a table with a key of two fields, and a table that points to it.
func (w *World) composite(r *rand.Rand) {
	if r.IntN(2) == 0 {
		return
	}
	places := newTable(r, "places")
	places.Key = []string{"area", "number"}
	places.Fields[0] = query.Field{Name: "number", Type: query.Int, Required: true}
	places.Fields = append(places.Fields, query.Field{Name: "area", Type: query.String, Required: true})
	first := w.Tables[0]
	first.Fields = append(first.Fields, query.Field{Name: "place_area", Type: query.String}, query.Field{Name: "place_number", Type: query.Int})
	first.Relations = append(first.Relations, query.Relation{Name: "places", Table: "places", From: []string{"place_area", "place_number"}, To: places.Key})
	places.Relations = append(places.Relations, query.Relation{Name: first.Name, Table: first.Name, From: places.Key, To: []string{"place_area", "place_number"}, Many: true})
	w.Tables = append(w.Tables, places)
}

func (w *World) fill(r *rand.Rand, t *query.Table) {
	for n := range r.IntN(6) {
		row := query.Row{}
		for _, f := range t.Fields {
			row[f.Name] = value(r, f)
		}
		switch t.Name {
		case "places":
			row["area"], row["number"] = []string{"N", "n"}[n%2], int64(n/2)
		default:
			row["id"] = int64(n + 1)
		}
		w.Rows[t.Name] = append(w.Rows[t.Name], row)
	}
}

// connect gives foreign keys values: of a row that is there, or NULL.
func (w *World) connect(r *rand.Rand, t *query.Table) {
	for _, row := range w.Rows[t.Name] {
		for _, rel := range t.Relations {
			if rel.Many {
				continue
			}
			to := w.Rows[rel.Table]
			found := len(to) > 0 && r.IntN(4) > 0
			for i, from := range rel.From {
				if row[from] = nil; found {
					row[from] = to[r.IntN(len(to))][rel.To[i]]
				}
			}
			if found && len(rel.From) > 1 {
				parent := to[r.IntN(len(to))]
				row[rel.From[0]], row[rel.From[1]] = parent[rel.To[0]], parent[rel.To[1]]
			}
		}
	}
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func value(r *rand.Rand, f query.Field) query.Value {
	if !f.Required && r.IntN(4) == 0 {
		return nil
	}
	switch f.Type {
	case query.String:
		if f.Values != nil {
			return pick(r, f.Values)
		}
		return pick(r, texts())
	case query.Int:
		return int64(r.IntN(9) - 2)
	case query.Dec:
		return query.Decimal(pick(r, decimals()))
	case query.Bool:
		return r.IntN(2) == 0
	case query.Date:
		return query.Day(pick(r, days()))
	case query.Timestamp:
		return pick(r, instants())
	case query.JSON:
		return query.Doc(pick(r, documents()))
	}
	return nil
}

func texts() []string {
	return []string{"", "a", "A", "Ab", "é", "É", "ß", "x%_y", "12.50", " 7 ", "2026-01-31", "null", "😀b", "it's", `quote"d`, `back\slash`, "Open", " \t"}
}

func decimals() []string {
	return []string{"0.00", "0.10", "-2.50", "100.10", "1.00", "0.01", "999999.99", "12.50"}
}

func days() []string {
	return []string{"2026-01-31", "2024-02-29", "2026-03-29", "2025-12-31", "1999-07-04", "2026-02-10"}
}

func instants() []time.Time {
	return []time.Time{
		time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC), time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC), time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC),
		time.Date(2026, 1, 31, 23, 30, 0, 0, time.UTC), time.Date(2025, 12, 31, 23, 59, 59, 999999000, time.UTC), time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC),
		time.Date(2026, 2, 10, 5, 15, 0, 0, time.UTC),
	}
}

func documents() []string {
	return []string{`{}`, `{"a":"x","n":1.5,"b":true,"l":[1,"two",{"a":"deep"}],"o":{"a":"A"}}`, `{"a":5,"n":"1.5","b":"true","l":{},"o":[]}`, `{"a":null,"n":-3,"b":false}`, `[]`, `"text"`,
		`{"a":"2026-01-31","n":1e2,"odd key":{"a":"é"}}`}
}

// Rules makes random row rules for about half of the tables, as texts; rules use parents, children and other rows themselves.
func (w *World) Rules(r *rand.Rand, depth int) map[string]string {
	out := map[string]string{}
	for _, t := range w.Tables {
		if r.IntN(2) == 0 {
			out[t.Name] = w.Condition(r, t.Name, depth)
		}
	}
	return out
}

// CheckRules checks rules that Rules made.
func (w *World) CheckRules(texts map[string]string) (query.Rules, error) {
	rules := map[string]query.Expr{}
	for table, text := range texts {
		e, err := w.Check(table, text, true)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", table, text, err)
		}
		rules[table] = e
	}
	return func(table string) query.Expr { return rules[table] }, nil
}
