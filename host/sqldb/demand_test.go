package sqldb

import (
	"context"
	"strings"
	"testing"

	"example.com/deputy/query"
)

// demanded is a table to read checks of.
func demanded(bytes bool) *table {
	t := &table{name: "t", bytes: bytes, byField: map[string]*column{}}
	for name, typ := range map[string]query.Type{"id": query.Int, "Quantity": query.Int, "price": query.Dec, "code": query.String, "begins": query.Date, "ends": query.Date, "at": query.Timestamp, "active": query.Bool, "doc": query.JSON} {
		c := &column{name: name, exact: true, field: query.Field{Name: strings.ToLower(name), Type: typ, Scale: -1}}
		t.columns = append(t.columns, c)
		t.byField[c.field.Name] = c
		t.offered.Fields = append(t.offered.Fields, c.field)
	}
	t.offered.Name = "t"
	return t
}

func rulesOf(t *table) (out []string) {
	for _, c := range t.demands() {
		out = append(out, c.Rule)
	}
	return out
}

func TestDemands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		check string
		read  func(string) []token
		want  string
	}{
		{"quantity > 0", tokens, "quantity > 0"},
		{"QUANTITY>=1 AND quantity <> 7 and [price] <= 99.50", tokens, "quantity >= 1; quantity != 7; price <= 99.50"},
		{"quantity BETWEEN 1 AND 5 AND price > -1", tokens, "(quantity >= 1 && quantity <= 5); price > -1"},
		{"quantity NOT BETWEEN 1 AND 5", tokens, "!((quantity >= 1 && quantity <= 5))"},
		{"quantity IN (1, 2, -3)", tokens, "quantity in [1, 2, -3]"},
		{"code NOT IN ('a', 'it''s')", tokens, `!(code in ["a", "it's"])`},
		{"ends IS NULL OR ends >= begins", tokens, "(ends == null || ends >= begins)"},
		{"NOT (quantity = 3 AND price IS NOT NULL)", tokens, "!((quantity == 3 && price != null))"},
		{"(length(code) = 3)", tokens, "length(code) == 3"},
		{"(quantity > 0 OR (price > 0 AND code = 'x'))", tokens, `(quantity > 0 || (price > 0 && code == "x"))`},
		{"((quantity > 0) AND (char_length((code)::text) <= 10))", serverTokens, "quantity > 0; length(code) <= 10"},
		{"((price >= (0)::numeric) AND (quantity > '-5'::integer))", serverTokens, "price >= 0; quantity > -5"},
		{"(((code)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[])) OR (price IS NULL))", serverTokens, `(code in ["a", "b"] || price == null)`},
		{"(`quantity` between 1 and 9 and char_length(`code`) > 2)", tokens, "(quantity >= 1 && quantity <= 9); length(code) > 2"},
		{"quantity > 0 AND code LIKE 'a%' AND price > 1", tokens, "quantity > 0; price > 1"},
		// What is not said: it may have another meaning, or none here.
		{"quantity > 0 OR code LIKE 'a%'", tokens, ""},
		{"code > 'a'", tokens, ""},
		{"active IN (0, 1)", tokens, ""},
		{"begins > '2020-01-01'", tokens, ""},
		{"quantity * price < 100", tokens, ""},
		{"upper(code) = code", tokens, ""},
		{"quantity = price + 1", tokens, ""},
		{"other > 0", tokens, ""},
		{"1 = 1", tokens, ""},
		{"at = begins", tokens, ""},
		{"quantity > 1e3", tokens, ""},
		{"quantity >", tokens, ""}, {"", tokens, ""}, {"(((", tokens, ""}, {"quantity BETWEEN 1", tokens, ""}, {"quantity IN (", tokens, ""}, {"NOT", tokens, ""},
	} {
		table := demanded(false)
		table.checks = [][]token{c.read(c.check)}
		if got := strings.Join(rulesOf(table), "; "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.check, got, c.want)
		}
	}
	bytes := demanded(true)
	bytes.checks = [][]token{tokens("length(code) = 3"), tokens("code = 'x'"), tokens("char_length(code) = 3")}
	if got := strings.Join(rulesOf(bytes), "; "); got != "length(code) == 3" {
		t.Errorf("where a length is in bytes: %s", got)
	}
}

// FuzzDemands: whatever a check says, reading it ends, and what it became is an expression of the language over the table.
func FuzzDemands(f *testing.F) {
	for _, seed := range []string{"quantity > 0", "code IN ('a')", "NOT ((ends IS NULL OR ends >= begins) AND price BETWEEN 1 AND 2)", "length(code)=3", "((", "quantity = '1'", "code = '\x00\xff'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, check string) {
		if len(check) > 300 {
			t.Skip()
		}
		for _, read := range []func(string) []token{tokens, serverTokens} {
			of := demanded(false)
			of.checks = [][]token{read(check)}
			for _, c := range of.demands() {
				src, err := query.Parse(c.Rule)
				if err != nil {
					continue // too deep, too many items: the guard leaves it to the database
				}
				cat := &catalog{byName: map[string]*table{"t": of}}
				if _, err := query.Condition(context.Background(), query.Env{Catalog: cat, Table: "t"}, src); err != nil {
					t.Errorf("%q became %s: %v", check, c.Rule, err)
				}
			}
		}
	})
}
