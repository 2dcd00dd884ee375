package query_test

import (
	"strings"
	"testing"

	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

// TestListFields: what a list holds is asked with in; a list may be NULL.
func TestListFields(t *testing.T) {
	t.Parallel()
	tables := querytest.Tables{{Name: "posts", Key: []string{"id"}, Fields: fields(field("id", query.Int), field("tags", query.List), field("name", query.String), field("price", query.Dec), field("born", query.Date), field("data", query.JSON))}}
	row := query.Row{"id": int64(2), "tags": []query.Value{"a", nil, int64(2), query.Decimal("1.50"), true}, "name": "a", "price": query.Decimal("1.5"), "data": query.Doc(`{"tag":"a"}`)}
	env := query.Env{Catalog: tables, Table: "posts"}
	for text, want := range map[string]query.Value{
		`"a" in tags`: true, `"A" in tags`: false, `name in tags`: true, `id in tags`: true, `price in tags`: true, `2.0 in tags`: true, `3 in tags`: false, `true in tags`: true, `"2" in tags`: false, `data.tag in tags`: true,
		`tags == null`: false, `tags != null`: true, `!("b" in tags)`: true, `tags`: row["tags"],
	} {
		if got := query.Eval(checked(t, env, text), row, nil); !query.Same(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if got, missing := query.Eval(checked(t, env, text), query.Row{}, nil), strings.Contains(text, "null"); !missing && query.Truth(got) && text[0] != '!' {
			t.Errorf("%s of a row without tags: %v", text, got)
		}
	}
	for text, want := range map[string]string{`born in tags`: "write a text", `tags in tags`: "one value is wanted", `tags == "a"`: "a list is asked with in", `lower(tags)`: "list"} {
		src, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := query.Check(t.Context(), env, src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func checked(t *testing.T, env query.Env, text string) query.Expr {
	t.Helper()
	src, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := query.Check(t.Context(), env, src)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}
