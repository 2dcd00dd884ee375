package hosttest

import (
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/query"
)

// papers: invoices with notes and their marks, which go with them, and letters, which lose them.
func papers() ([]query.Table, map[string][]query.Row) {
	table := func(name string, relations []query.Relation, fields ...query.Field) query.Table {
		return query.Table{Name: name, Label: name, Key: []string{"id"}, Relations: relations, Fields: append([]query.Field{field("id", query.Int, generated)}, fields...)}
	}
	nullify := func(r query.Relation) query.Relation {
		r.Nullify = true
		return r
	}
	tables := []query.Table{
		table("invoices", []query.Relation{cascade(many("notes", "notes", "id", "invoice_id")), nullify(many("letters", "letters", "id", "invoice_id")),
			one("origin", "invoices", "origin_id", "id"), cascade(many("invoices_by_origin_id", "invoices", "id", "origin_id"))}, field("total", query.Int), field("origin_id", query.Int)),
		table("letters", []query.Relation{one("invoice", "invoices", "invoice_id", "id")}, field("invoice_id", query.Int), field("open", query.Bool)),
		table("marks", []query.Relation{one("note", "notes", "note_id", "id")}, field("note_id", query.Int)),
		table("notes", []query.Relation{one("invoice", "invoices", "invoice_id", "id"), cascade(many("marks", "marks", "id", "note_id"))}, field("invoice_id", query.Int)),
	}
	return tables, map[string][]query.Row{
		"invoices": {{"id": int64(10), "total": int64(5)}, {"id": int64(12), "total": int64(6)}, {"id": int64(14), "origin_id": int64(14)}},
		"letters":  {{"id": int64(1), "invoice_id": int64(10), "open": true}, {"id": int64(2), "invoice_id": int64(12)}},
		"notes":    {{"id": int64(100), "invoice_id": int64(10)}, {"id": int64(101), "invoice_id": int64(10)}, {"id": int64(102), "invoice_id": int64(12)}},
		"marks":    {{"id": int64(1), "note_id": int64(100)}, {"id": int64(2), "note_id": int64(102)}},
	}
}

// testAlong: nothing goes or changes along with a deleted record that is no write of the group, which is tested when it is its turn, after
// the writes before it, whether the write asks for it or not.
func testAlong(t *testing.T, open Open) {
	tables, rows := papers()
	b := &bench{TB: t, host: open(t, tables, rows), fake: New(tables, rows), tables: tables}
	for _, want := range tables {
		if got := b.table(want.Name); strings.Join(shapes(got), "\n") != strings.Join(shapes(&want), "\n") {
			t.Errorf("%s:\n got %v\nwant %v", want.Name, shapes(got), shapes(&want))
		}
	}
	alone := func(key string) deputy.Write {
		w := b.delete("invoices", key)
		w.Check = b.compile("invoices", `!notes.exists()`)
		return w
	}
	note := func(key string) deputy.Write {
		w := b.delete("notes", key)
		w.Check = b.compile("notes", `!marks.exists()`)
		return w
	}
	b.refused(deputy.Failed, "Records would go with it that you may not delete, or that are no part of this.", alone("10"))
	b.refused(deputy.Failed, "Records would go with it that you may not delete, or that are no part of this.", note("101"), b.delete("marks", "1"), alone("10"))
	b.refused(deputy.Failed, "Records would go with it that you may not delete, or that are no part of this.", b.delete("marks", "2"), b.delete("notes", "102"), b.update("notes", "100", "invoice_id", "12"), alone("12"))
	const with = "Records would go with it that you may not delete, or that are no part of this."
	b.refused(deputy.Failed, with, b.delete("notes", "100"))
	b.refused(deputy.Failed, with, b.delete("marks", "1"), note("100"), note("101"), b.delete("invoices", "10")) // a letter would lose it
	if b.catalog().Features().Transactions {
		b.refused(deputy.Failed, "An earlier change of this group has removed the record.", b.delete("marks", "1"), b.delete("marks", "1"))
	}
	b.done(b.delete("marks", "1"), note("100"), note("101"), b.update("letters", "1", "invoice_id", "NULL"), alone("10"))
	if got, want := b.everything(), strings.Join([]string{`invoices ["12|6|NULL" "14|NULL|14"]`, `letters ["1|NULL|true" "2|12|NULL"]`, `marks ["2|102"]`, `notes ["102|12"]`}, "\n"); got != want {
		t.Errorf("left is\n%s\nwant\n%s", got, want)
	}
	b.refused(deputy.Failed, with, b.delete("marks", "2"), b.delete("notes", "102"), b.delete("invoices", "12"))
	b.done(b.delete("marks", "2"), b.delete("notes", "102"), b.update("letters", "2", "invoice_id", "NULL"), b.delete("invoices", "12"), b.delete("invoices", "14"))
	if got, want := b.everything(), strings.Join([]string{`invoices []`, `letters ["1|NULL|true" "2|NULL|NULL"]`, `marks []`, `notes []`}, "\n"); got != want {
		t.Errorf("left is\n%s\nwant\n%s", got, want)
	}
}
