package hosttest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/deputy/query"
)

// data compares the rows that the document shows with those that are asked about.
func (e *examples) data(table string, s *sheet) {
	e.shown = append(e.shown, table)
	t, err := e.fake.table(table)
	if err != nil {
		e.Fatal(err)
	}
	if !slices.Equal(s.head, t.FieldNames()) {
		e.Errorf("%s: its fields are %v", table, t.FieldNames())
		return
	}
	var want [][]string
	for _, row := range e.world.Rows[table] {
		var cells []string
		for _, f := range t.Fields {
			text, ok := query.FormatValue(row[f.Name])
			switch {
			case !ok:
				text = "null"
			case f.Type == query.String && text == "":
				text = `""`
			case f.Type == query.JSON, f.Type == query.List:
				text = "`" + text + "`"
			}
			cells = append(cells, text)
		}
		want = append(want, cells)
	}
	if !slices.EqualFunc(s.lines, want, slices.Equal) {
		e.Errorf("%s: its rows are %q", table, want)
	}
}

// relation runs | foreign key | leads to | parent | children |: what the host names them.
func (e *examples) relation(cells []string) {
	names := spans(cells[0])
	child, _, _ := strings.Cut(names[0], ".")
	var from []string
	for _, name := range names {
		from = append(from, strings.TrimPrefix(name, child+"."))
	}
	parent := span(cells[1])
	up := func(r query.Relation) bool { return !r.Many && r.Table == parent && slices.Equal(r.From, from) }
	down := func(r query.Relation) bool { return r.Many && r.Table == child && slices.Equal(r.To, from) }
	for _, end := range []struct {
		table, name string
		is          func(query.Relation) bool
	}{{child, span(cells[2]), up}, {parent, span(cells[3]), down}} {
		t := e.table(end.table)
		if i := slices.IndexFunc(t.Relations, end.is); i < 0 || t.Relations[i].Name != end.name {
			e.Errorf("%s has %v", end.table, t.Relations)
		}
	}
}

// bound runs | bound | most |: what is as large as that is read, and one more is not.
func (e *examples) bound(cells []string) {
	most, err := strconv.Atoi(strings.ReplaceAll(cells[1], ",", ""))
	if err != nil {
		e.Errorf("%v", err)
		return
	}
	text, ok := map[string]func(int) string{
		"characters": func(n int) string { return `"` + strings.Repeat("x", n-2) + `"` },
		"levels":     func(n int) string { return strings.Repeat("abs(", n-1) + "1" + strings.Repeat(")", n-1) },
		"names":      func(n int) string { return "id in [" + strings.Repeat("id, ", n-2) + "id]" },
		"items of a list": func(n int) string {
			return "id in [" + strings.Repeat("1, ", n-1) + "1]"
		},
	}[cells[0]]
	if !ok {
		e.Errorf("no such bound")
		return
	}
	if _, err := query.Parse(text(most)); err != nil {
		e.Errorf("%v", err)
	}
	if _, err := query.Parse(text(most + 1)); err == nil {
		e.Errorf("more is read")
	}
}

// complete: nothing that the language knows is missing in the examples.
func (e *examples) complete() {
	e.over = "the document as a whole"
	for _, t := range e.tables {
		if !slices.Contains(e.shown, t.Name) {
			e.Errorf("the rows of %s are not shown", t.Name)
		}
	}
	calls := map[string]bool{}
	for _, text := range e.texts {
		for _, m := range called.FindAllStringSubmatch(quotedText.ReplaceAllString(text, `""`), -1) {
			calls[m[1]] = true
		}
	}
	used := e.used()
	for _, name := range slices.Concat(query.Functions(), query.Folds(), query.Aggregates()) {
		if !calls[name] {
			e.Errorf("no example calls %s", name)
		}
	}
	for _, s := range query.Ops() {
		for _, t := range instances(s) {
			if !slices.ContainsFunc(used, func(op query.Op) bool { return isForm(op, s, t) }) {
				e.Errorf("no example of %s(%s) of %s", s.Fn, s.Args, t)
			}
		}
	}
	for _, fn := range []string{"start_of", "end_of"} {
		for _, unit := range query.Units() {
			if !slices.ContainsFunc(used, func(op query.Op) bool {
				return op.Fn == fn && op.Args[0] == query.Expr(query.Lit{V: unit, T: query.String})
			}) {
				e.Errorf("no example of %s(%q, …)", fn, unit)
			}
		}
	}
}

var (
	called     = regexp.MustCompile(`([A-Za-z_]\w*)\(`)
	quotedText = regexp.MustCompile(`"(?:\\.|[^"\\])*"`)
)

// used are the operators of all examples, and what is folded over children, by fold.
func (e *examples) used() (out []query.Op) {
	for _, x := range e.seen {
		query.Walk(x, func(x query.Expr) {
			if op, ok := x.(query.Op); ok {
				out = append(out, op)
			}
		})
	}
	return out
}

// instances are the types of T that a form is shown with: any where it does not matter.
func instances(s query.Signature) []query.Type {
	when := []query.Type{query.Date, query.Timestamp}
	switch {
	case s.Fn == "<":
		return append(when, query.Int, query.Dec, query.String)
	case s.Fn == "==", s.Fn == "in":
		return append(when, query.Int, query.Dec, query.String, query.Bool)
	case s.Zoned && strings.Contains(s.Args, "T"):
		return when
	}
	return []query.Type{query.Any}
}

// isForm says whether an operator is of a form, with T of a type.
func isForm(op query.Op, s query.Signature, t query.Type) bool {
	args := strings.Split(s.Args, ", ")
	if op.Fn != s.Fn || len(op.Args) > len(args) && !strings.Contains(s.Args, "…") || len(op.Args) == 0 {
		return false
	}
	for i, a := range op.Args {
		want := query.Type(strings.Trim(args[min(i, len(args)-1)], "[]…"))
		is := a.Type()
		switch want {
		case "T":
			if t != query.Any && is != t && (i == 0 || is != query.Null) {
				return false
			}
		case "number":
			if is != query.Int && is != query.Dec {
				return false
			}
		case "unit":
		default:
			if is != want {
				return false
			}
		}
	}
	return true
}
