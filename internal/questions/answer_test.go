package questions

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// answer is the rows of one result, each cell as a text that two equal values share and two different ones do not: its kind and its value.
type answer struct {
	rows [][]string
	more bool // there are others, which were not asked for
}

func number(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "no number: " + text
	}
	return "number " + r.RatString()
}

func moment(at time.Time) string { return "moment " + at.UTC().Format(time.RFC3339Nano) }

const null = "null"

// given reads rows of a tool's result.
func given(raw json.RawMessage) (out answer, children map[string]answer, err error) {
	type table struct {
		Columns []struct{ Name, Type string }
		Rows    [][]any
		HasMore bool `json:"has_more"`
	}
	var said struct {
		table
		Children map[string]table
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&said); err != nil {
		return out, nil, err
	}
	read := func(t table) answer {
		out := answer{more: t.HasMore}
		for _, row := range t.Rows {
			cells := make([]string, len(row))
			for i, v := range row {
				cells[i] = cell(v, t.Columns[i].Type)
			}
			out.rows = append(out.rows, cells)
		}
		return out
	}
	children = map[string]answer{}
	for name, t := range said.Children {
		children[name] = read(t)
	}
	return read(said.table), children, nil
}

func cell(v any, kind string) string {
	switch {
	case v == nil:
		return null
	case kind == "int" || kind == "decimal":
		return number(fmt.Sprint(v))
	case kind == "timestamp":
		at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(v))
		if err != nil {
			return "no moment: " + err.Error()
		}
		return moment(at)
	case kind == "json":
		return document(v)
	}
	return kind + " " + fmt.Sprint(v)
}

// document is JSON with its members in order.
func document(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "no JSON: " + err.Error()
	}
	return "json " + string(raw)
}

// truth runs a statement on Postgres.
func truth(t *testing.T, db *sql.DB, text string) answer {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	out := answer{}
	for rows.Next() {
		raw, into, cells := make([]any, len(types)), make([]any, len(types)), make([]string, len(types))
		for i := range raw {
			into[i] = &raw[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i, v := range raw {
			cells[i] = stored(v, types[i].DatabaseTypeName())
		}
		out.rows = append(out.rows, cells)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out.more = more(t, db, text, len(out.rows))
	return out
}

// more says whether a statement has more rows than its last LIMIT lets through.
func more(t *testing.T, db *sql.DB, text string, shown int) bool {
	t.Helper()
	end := regexp.MustCompile(`\sLIMIT \d+(\s+OFFSET \d+)?\s*$`).FindStringIndex(text)
	if end == nil {
		return false
	}
	all, offset := 0, 0
	if _, after, ok := strings.Cut(text[end[0]:], "OFFSET "); ok {
		if _, err := fmt.Sscan(after, &offset); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.QueryRowContext(context.Background(), "SELECT count(*) FROM ("+text[:end[0]]+") q").Scan(&all); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return all > offset+shown
}

func stored(v any, kind string) string {
	switch x := v.(type) {
	case nil:
		return null
	case bool:
		return fmt.Sprint("bool ", x)
	case time.Time:
		if kind == "DATE" {
			return "date " + x.Format(time.DateOnly)
		}
		return moment(x)
	}
	text := fmt.Sprint(v)
	if raw, ok := v.([]byte); ok {
		text = string(raw)
	}
	switch kind {
	case "TEXT", "VARCHAR", "BPCHAR":
		return "string " + text
	case "INT2", "INT4", "INT8", "NUMERIC":
		return number(text)
	case "JSONB":
		var doc any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&doc); err != nil {
			return "no JSON: " + err.Error()
		}
		return document(doc)
	default:
		return kind + ", which nothing can be compared with: " + text
	}
}

// differ says where two answers part; empty where they are the same.
func differ(got, want answer) string {
	switch {
	case len(got.rows) != len(want.rows):
		return fmt.Sprintf("%d rows, want %d\n got %.1500v\nwant %.1500v", len(got.rows), len(want.rows), got.rows, want.rows)
	case got.more != want.more:
		return fmt.Sprintf("has_more is %v, want %v, beside %d rows", got.more, want.more, len(want.rows))
	}
	for i := range want.rows {
		if !slices.Equal(got.rows[i], want.rows[i]) {
			return fmt.Sprintf("row %d\n got %q\nwant %q", i+1, got.rows[i], want.rows[i])
		}
	}
	return ""
}

// TestAnswersAreCompared: what differs in one cell, in its kind, in order or in number is no answer.
func TestAnswersAreCompared(t *testing.T) {
	t.Parallel()
	want := answer{rows: [][]string{{number("1.50"), "string a"}, {null, "bool true"}}}
	same, _, err := given(json.RawMessage(`{"columns":[{"name":"a","type":"decimal"},{"name":"b","type":"string"}],"rows":[["1.5","a"]]}`))
	if err != nil || differ(same, answer{rows: want.rows[:1]}) != "" {
		t.Errorf("%v, %v", same, err)
	}
	for _, got := range []answer{
		{rows: want.rows[:1]}, {rows: want.rows, more: true}, {rows: [][]string{want.rows[1], want.rows[0]}}, {rows: [][]string{{number("1.51"), "string a"}, want.rows[1]}},
		{rows: [][]string{{"string 1.5", "string a"}, want.rows[1]}}, {rows: [][]string{want.rows[0], {"string null", "bool true"}}},
	} {
		if differ(got, want) == "" {
			t.Errorf("%v passes for %v", got, want)
		}
	}
}
