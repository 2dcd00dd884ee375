package deputy_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
)

// grouped is a bench on which the boss has the proposals of some calls, in the order of their group.
func grouped(t *testing.T, change func(*deputy.Config), cs ...scripted.Call) (*bench, []deputy.Proposal) {
	t.Helper()
	b := setup(t, change, calls(cs...), scripted.Answer{Text: "proposed"})
	if got := b.ask(t, boss(), "", "please"); got.end.Reason != deputy.Answered {
		t.Fatal(got.end)
	}
	ps := b.proposals(t, boss())
	slices.Reverse(ps)
	return b, ps
}

func (b *bench) confirm(t *testing.T, who deputy.Caller, ps []deputy.Proposal) deputy.Decision {
	t.Helper()
	d, err := b.door().Confirm(t.Context(), who, ps[0].Group, shown(ps...))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// family is a customer, an invoice of theirs and a note on it, none of which is there yet.
func family() []scripted.Call {
	return []scripted.Call{
		do("create_record", `{"table":"customers","values":[{"field":"name","value":"Delta"}]}`),
		do("create_record", `{"table":"invoices","values":[{"field":"customer_id","value":"new:c1"},{"field":"total","value":"7.00"}]}`),
		do("create_record", `{"table":"notes","values":[{"field":"invoice_id","value":"new:c2"},{"field":"text","value":"first"}]}`),
	}
}

func last(rows []query.Row) query.Row { return rows[len(rows)-1] }

func TestGroupBuildsOnWhatItCreates(t *testing.T) {
	t.Parallel()
	b, ps := grouped(t, nil, family()...)
	if len(ps) != 3 || !strings.Contains(b.results()[0], `"record":"new:c1"`) {
		t.Fatal(b.results())
	}
	line := ps[1].Lines[0]
	if *line.After != "new" || line.AfterLabel != "the record of customers that proposal 1 creates" || line.Source != deputy.SourceData || len(ps[1].Warnings) != 1 {
		t.Errorf("%+v %v", line, ps[1].Warnings)
	}
	if d := b.confirm(t, boss(), ps); d.Proposals[2].State != deputy.Done {
		t.Fatalf("%+v", d)
	}
	customer, invoice, note := last(b.host.Rows("customers")), last(b.host.Rows("invoices")), last(b.host.Rows("notes"))
	if customer["name"] != "Delta" || invoice["customer_id"] != customer["id"] || note["invoice_id"] != invoice["id"] {
		t.Error(customer, invoice, note)
	}
}

// sale is a tool that drafts an invoice, and a note that belongs to it, at once.
func sale() deputy.Toolset {
	tool := deputy.ProposeTool(deputy.Definition{Name: "sell", Label: "Proposed a sale", Description: "x", Operation: "POST /sale"},
		func(_ context.Context, _ *deputy.Scope, in struct {
			Customer string `json:"customer"`
		}) (deputy.Draft, error) {
			invoice := deputy.Change{ID: "invoice", Verb: deputy.Create, Table: "invoices", Values: []deputy.Assign{{Field: "customer_id", Type: query.Int, Text: &in.Customer}}}
			note := deputy.Change{Verb: deputy.Create, Table: "notes", Values: []deputy.Assign{{Field: "invoice_id", Type: query.Int, From: "invoice"}}}
			return deputy.Draft{Changes: []deputy.Change{invoice, note}}, nil
		})
	return deputy.Toolset{Name: "sale", Description: "Sales.", Tools: []deputy.Tool{tool}}
}

// TestDraftBuildsOnWhatItCreates: the ID of a change counts within its draft, so that the same tool can be called twice in a turn.
func TestDraftBuildsOnWhatItCreates(t *testing.T) {
	t.Parallel()
	b, ps := grouped(t, func(c *deputy.Config) { c.Toolsets = append(c.Toolsets, sale()) }, do("sell", `{"customer":"1"}`), do("sell", `{"customer":"2"}`))
	if len(ps) != 2 || ps[0].Lines[2].AfterLabel != "the record of invoices that is created with it" || ps[0].Changes[0].ID == ps[1].Changes[0].ID {
		t.Fatalf("%+v %v", ps, b.results())
	}
	b.confirm(t, boss(), ps)
	invoices, notes := b.host.Rows("invoices"), b.host.Rows("notes")
	for i := range 2 {
		if in, note := invoices[3+i], notes[3+i]; in["customer_id"] != int64(1+i) || note["invoice_id"] != in["id"] {
			t.Error(in, note)
		}
	}
}

func TestGroupIsRenewedWithWhatItCreates(t *testing.T) {
	t.Parallel()
	b, ps := grouped(t, nil, append(family(), do("update_record", phone))...)
	b.host.Change("customers", func(rs []query.Row) []query.Row { rs[0]["phone"] = "changed"; return rs })
	d, err := b.door().Confirm(t.Context(), boss(), ps[0].Group, shown(ps...))
	code(t, err, deputy.Stale)
	if len(d.Renewed) != 4 || len(b.host.Rows("notes")) != 3 {
		t.Fatal(d, err)
	}
	b.confirm(t, boss(), d.Renewed)
	if note, invoice := last(b.host.Rows("notes")), last(b.host.Rows("invoices")); note["text"] != "first" || note["invoice_id"] != invoice["id"] || phoneOf(b, 0) != "+47 555" {
		t.Error(note, invoice)
	}
}

func TestRejectedWithWhatBuildsOnIt(t *testing.T) {
	t.Parallel()
	b, ps := grouped(t, nil, append(family(), do("update_record", phone))...)
	if _, err := b.door().Reject(t.Context(), boss(), ps[1].ID); err != nil {
		t.Fatal(err)
	}
	left := b.proposals(t, boss())
	if len(left) != 2 || left[0].ID != ps[3].ID || left[1].ID != ps[0].ID {
		t.Fatal(left)
	}
	slices.Reverse(left)
	b.confirm(t, boss(), left)
	if len(b.host.Rows("invoices")) != 3 || len(b.host.Rows("notes")) != 3 || last(b.host.Rows("customers"))["name"] != "Delta" {
		t.Error("not what was confirmed")
	}
}

func update(table, id, field, value string) scripted.Call {
	return do("update_record", `{"table":"`+table+`","id":"`+id+`","values":[{"field":"`+field+`","value":`+value+`}]}`)
}

func remove(table, id string) scripted.Call {
	return do("delete_record", `{"table":"`+table+`","id":"`+id+`"}`)
}

// TestProposalsReadThroughTheirGroup: what an earlier proposal of the turn will make is there for a later one.
func TestProposalsReadThroughTheirGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		calls []scripted.Call
		last  string // what the model is told of the last one
		right func(b *bench) bool
	}{
		{"a unique value that is freed", []scripted.Call{update("customers", "1", "email", `"x@example.com"`), update("customers", "3", "email", `"acme@example.com"`)}, "Update customer 3",
			func(b *bench) bool { return b.host.Rows("customers")[2]["email"] == "acme@example.com" }},
		{"a unique value that is taken", []scripted.Call{update("customers", "1", "email", `"x@example.com"`), update("customers", "3", "email", `"x@example.com"`)}, "another record of customers has", nil},
		{"a unique value of a new record", []scripted.Call{do("create_record", `{"table":"customers","values":[{"field":"name","value":"D"},{"field":"email","value":"x@example.com"}]}`),
			update("customers", "3", "email", `"x@example.com"`)}, "another record of customers has", nil},
		{"a child that is moved away stays", []scripted.Call{update("notes", "101", "invoice_id", "10"), remove("invoices", "12")}, "Delete invoice 12",
			func(b *bench) bool { return len(b.host.Rows("notes")) == 3 && len(b.host.Rows("invoices")) == 2 }},
		{"a child that is deleted first", []scripted.Call{remove("notes", "101"), remove("invoices", "12")}, "Delete invoice 12",
			func(b *bench) bool { return len(b.host.Rows("notes")) == 2 && len(b.host.Rows("invoices")) == 2 }},
		{"a child that is moved here", []scripted.Call{update("notes", "101", "invoice_id", "10"), remove("invoices", "10")}, "has a proposal in this turn already", nil},
		{"a child that is new", []scripted.Call{do("create_record", `{"table":"notes","values":[{"field":"invoice_id","value":12}]}`), remove("invoices", "12")}, "a new record of notes that is proposed in this turn", nil},
		{"a parent that is deleted", []scripted.Call{remove("invoices", "12"), update("notes", "100", "invoice_id", "12")}, "is deleted by an earlier change", nil},
		{"a value that is back", []scripted.Call{update("customers", "1", "phone", `"+47 2"`), update("customers", "1", "phone", `"+47 1"`)}, "has a proposal in this turn already", nil},
		{"two fields of one record", []scripted.Call{update("customers", "1", "phone", `"+47 2"`), update("customers", "1", "status", `"vip"`)}, "Update customer 1",
			func(b *bench) bool {
				r := b.host.Rows("customers")[0]
				return r["phone"] == "+47 2" && r["status"] == "vip"
			}},
		{"nothing of that name", []scripted.Call{update("notes", "100", "invoice_id", `"new:c9"`)}, "new:c9 is no record that an earlier change of this turn creates", nil},
		{"a record of another table", []scripted.Call{do("create_record", `{"table":"customers","values":[{"field":"name","value":"D"}]}`), update("notes", "100", "invoice_id", `"new:c1"`)}, "new:c1 is no record that", nil},
		{"a field that leads nowhere", []scripted.Call{do("create_record", `{"table":"customers","values":[{"field":"name","value":"D"}]}`), update("customers", "1", "phone", `"new:c1"`)}, `"after":"new:c1"`,
			func(b *bench) bool { return phoneOf(b, 0) == "new:c1" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, ps := grouped(t, nil, c.calls...)
			results := b.results()
			if got := results[len(results)-1]; !strings.Contains(got, c.last) {
				t.Fatal(got)
			}
			if c.right == nil {
				if len(ps) != len(c.calls)-1 {
					t.Fatalf("%d proposals", len(ps))
				}
				return
			}
			if d := b.confirm(t, boss(), ps); d.Proposals[len(ps)-1].State != deputy.Done || !c.right(b) {
				t.Errorf("%+v\n%v", d.Proposals, b.host.Rows("customers"))
			}
		})
	}
}

// TestGroupWithoutTransactions: a host that has none stops at the first failure, and what was done and what was not is said of each.
func TestGroupWithoutTransactions(t *testing.T) {
	t.Parallel()
	b, ps := grouped(t, nil, update("customers", "1", "phone", `"1"`), do("create_record", `{"table":"customers","values":[{"field":"name","value":"Epsilon"},{"field":"email","value":"e@example.com"}]}`),
		update("customers", "3", "phone", `"3"`))
	b.host.WithoutTransactions()
	b.host.Change("customers", func(rs []query.Row) []query.Row { // taken since
		return append(rs, query.Row{"id": int64(9), "name": "Zeta", "email": "e@example.com"})
	})
	d := b.confirm(t, boss(), ps)
	var got []string
	for _, p := range d.Proposals {
		got = append(got, string(p.State)+": "+p.Outcome)
	}
	if len(got) != 3 || got[0] != "done: Done." || !strings.HasPrefix(got[1], "failed: ") || got[2] != "failed: not attempted" {
		t.Errorf("%q", got)
	}
	if phoneOf(b, 0) != "1" || phoneOf(b, 2) != "+47 3" || len(b.host.Rows("customers")) != 4 {
		t.Error(b.host.Rows("customers"))
	}
}
