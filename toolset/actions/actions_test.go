package actions_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/query"
)

const cancel = `{"id":"1","reason":"no longer needed"}`

// lines are what a proposal shows, a line each.
func lines(p deputy.Proposal) (out []string) {
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	for _, l := range p.Lines {
		out = append(out, fmt.Sprintf("%s %s %s %s: %s > %s %s", l.Verb, l.Table, l.Record, l.Field, text(l.Before), text(l.After), l.Source))
	}
	return out
}

func TestAnActionIsOneProposalThatShowsEveryRecord(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	ann := deputytest.Person("ann", "agent")
	turn := b.Run(ann, call("cancel_order", cancel))
	if len(turn.Proposals) != 1 {
		t.Fatalf("%v %q", turn.Outcomes, turn.Results)
	}
	p := turn.Proposals[0]
	if want := "Cancel an order: update order 1 (SO-1): status, reason; create refund: order_id, amount, day, owner; update 2 items: state"; p.Summary != want {
		t.Errorf("summary %q", p.Summary)
	}
	want := []string{
		"update orders 1 status: pending > cancelled ", "update orders 1 reason: - > no longer needed model",
		"create refunds  order_id: - > 1 ", "create refunds  amount: - > 90.10 ", "create refunds  day: - > 2026-01-02 ", "create refunds  owner: - > ann ", "create refunds  id: - > - default",
		"update items 10 state: new > cancelled ", "update items 11 state: packed > cancelled ",
	}
	if got := lines(p); !slices.Equal(got, want) {
		t.Errorf("lines\n%s", strings.Join(got, "\n"))
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "reason: “no longer needed” stands neither in your messages") || p.Table != "orders" || p.Record != "1" {
		t.Errorf("warnings %q, %s %s", p.Warnings, p.Table, p.Record)
	}
	if b.writes() != 0 {
		t.Error("proposing wrote")
	}
	d, err := b.Confirm(ann, p)
	if err != nil || d.Proposals[0].State != deputy.Done {
		t.Fatalf("%+v, %v", d, err)
	}
	o := b.row(t, "orders", 1)
	if o["status"] != "cancelled" || o["reason"] != "no longer needed" || len(b.host.Rows("refunds")) != 2 || b.writes() != 1 {
		t.Errorf("order %v, refunds %v", o, b.host.Rows("refunds"))
	}
	for id, want := range map[int64]string{10: "cancelled", 11: "cancelled", 12: "gone", 13: "new", 14: "kept back"} {
		if got := b.row(t, "items", id)["state"]; got != want {
			t.Errorf("item %d: %v", id, got)
		}
	}
}

func TestOnlyWhoseRolesNameTheActionAreOfferedIt(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	for role, want := range map[string][]string{
		"agent": {"cancel_order", "refund", "ship_items"}, "chief": {"cancel_order", "hide_margin", "refund", "ship_items"}, "reader": nil, "owner": nil, "narrow": {"hide_margin"},
	} {
		turn := b.Run(deputytest.Person("ann", role), call("cancel_order", cancel))
		var got []string
		for _, name := range turn.Offered() {
			if _, ok := ways()[name]; ok {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is offered %v, want %v", role, got, want)
		}
		if unknown := turn.Results[0] == "Error: Unknown tool: cancel_order"; unknown == slices.Contains(want, "cancel_order") {
			t.Errorf("%s: %q", role, turn.Results[0])
		}
	}
}

// TestActionsInWords: what may be done names the actions of a person, and no others.
func TestActionsInWords(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	for role, want := range map[string]int{"agent": 3, "reader": 0, "narrow": 1} {
		me, err := b.Door.Me(t.Context(), deputytest.Person("ann", role))
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(me.Words, "|")
		if len(me.Actions) != want || strings.Contains(said, "Cancel an order") != (role == "agent") || strings.Contains(said, "Actions:") != (want > 0) {
			t.Errorf("%s: %v, %s", role, me.Actions, said)
		}
	}
}

func TestAnActionLendsItsOwnChangesAlone(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	ann := deputytest.Person("ann", "agent")
	turn := b.Run(ann, call("cancel_order", cancel), call("update_record", `{"table":"orders","id":"1","values":[{"field":"status","value":"cancelled"}]}`))
	if turn.Results[1] != "Error: Unknown tool: update_record" || len(turn.Proposals) != 1 {
		t.Errorf("%q", turn.Results)
	}
}

func TestAConditionThatDoesNotHoldIsRefusedWithWhatStandsThere(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	ann := deputytest.Person("ann", "agent")
	for id, want := range map[string]string{
		"2": "Error: <data call=\"c1\">\nCancel an order is not possible for orders 2 (SO-2): it needs status == \"pending\", and now status is “shipped”.\n</data>",
		"3": "Error: No such record: orders 3", "99": "Error: No such record: orders 99", "x": "Error: No such record: orders x",
	} {
		turn := b.Run(ann, call("cancel_order", strings.Replace(cancel, `"1"`, `"`+id+`"`, 1)))
		if turn.Outcomes[0] != deputy.Refused || turn.Results[0] != want {
			t.Errorf("%s: %s %q", id, turn.Outcomes[0], turn.Results[0])
		}
	}
	if b.writes() != 0 {
		t.Error("the host was asked to write")
	}
}

func TestTheSecondOfTwoIsToldWhy(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	one, two := deputytest.Person("one", "chief"), deputytest.Person("two", "chief")
	first, second := b.Run(one, call("cancel_order", cancel)), b.Run(two, call("cancel_order", cancel))
	if d, err := b.Confirm(one, first.Proposals...); err != nil || d.Proposals[0].State != deputy.Done {
		t.Fatalf("%+v %v", d, err)
	}
	d, err := b.Confirm(two, second.Proposals...)
	if deputy.CodeOf(err) != deputy.Stale || len(d.Renewed) != 0 || d.Proposals[0].State != deputy.Outdated {
		t.Fatalf("%+v %v", d, err)
	}
	if out := d.Proposals[0].Outcome; !strings.Contains(out, `it needs status == "pending", and now status is “cancelled”`) {
		t.Errorf("outcome %q", out)
	}
	if n := len(b.host.Rows("refunds")); n != 2 {
		t.Errorf("%d refunds", n)
	}
}

// TestAnActionWithoutValuesOfItsOwnHoldsItsRecord: what it stands on is tested all the same.
func TestAnActionWithoutValuesOfItsOwnHoldsItsRecord(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	chief := deputytest.Person("one", "chief")
	first, second := b.Run(chief, call("refund", `{"id":"3","amount":"5.00"}`)), b.Run(chief, call("refund", `{"id":"3","amount":5.50,"day":null}`))
	if len(first.Proposals) != 1 || len(second.Proposals) != 1 {
		t.Fatalf("%q %q", first.Results, second.Results)
	}
	if want := "Refund an order: create refund: order_id, amount, day, owner"; first.Proposals[0].Summary != want {
		t.Errorf("summary %q", first.Proposals[0].Summary)
	}
	if d, err := b.Confirm(chief, first.Proposals...); err != nil || d.Proposals[0].State != deputy.Done {
		t.Fatalf("%+v %v", d, err)
	}
	d, err := b.Confirm(chief, second.Proposals...)
	if deputy.CodeOf(err) != deputy.Stale || !strings.Contains(d.Proposals[0].Outcome, "it needs refunds.count() == 0, which does not hold") {
		t.Errorf("%+v %v", d, err)
	}
	if n := len(b.host.Rows("refunds")); n != 2 {
		t.Errorf("%d refunds", n)
	}
}

func TestOneRecordHasOneActionATurn(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	turn := b.Run(deputytest.Person("one", "chief"), call("refund", `{"id":"3","amount":"5"}`), call("ship_items", `{"id":"3"}`), call("ship_items", `{"id":"1"}`),
		call("cancel_order", cancel))
	conflict := "Error: %s has a proposal in this turn already."
	if len(turn.Proposals) != 2 || turn.Results[1] != fmt.Sprintf(conflict, "orders 3") || turn.Results[3] != fmt.Sprintf(conflict, "orders 1") {
		t.Errorf("%q", turn.Results)
	}
}

func TestOtherChildrenThanShownAreStale(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func([]query.Row) []query.Row{
		"one more": func(rows []query.Row) []query.Row {
			return append(rows, query.Row{"id": int64(20), "order_id": int64(1), "state": "late", "owner": "ann"})
		},
		"one less": func(rows []query.Row) []query.Row { rows[1]["shipped"] = query.Day("2026-01-02"); return rows },
		"another": func(rows []query.Row) []query.Row {
			rows[1]["shipped"], rows[2]["shipped"] = rows[2]["shipped"], nil
			return rows
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := open(t, ways(), nil)
			ann := deputytest.Person("ann", "agent")
			turn := b.Run(ann, call("cancel_order", cancel))
			b.host.Change("items", change)
			d, err := b.Confirm(ann, turn.Proposals...)
			if deputy.CodeOf(err) != deputy.Stale || len(d.Renewed) != 1 {
				t.Fatalf("%+v %v", d, err)
			}
			if b.row(t, "orders", 1)["status"] != "pending" || b.row(t, "items", 10)["state"] != "new" {
				t.Error("something was written")
			}
			if d, err = b.Confirm(ann, d.Renewed...); err != nil || d.Proposals[0].State != deputy.Done {
				t.Errorf("renewed: %+v %v", d, err)
			}
		})
	}
}

// TestAFailingStepLeavesNothingChanged: another's refund of the order, which ann may not read, is in the way.
func TestAFailingStepLeavesNothingChanged(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	ann := deputytest.Person("ann", "agent")
	turn := b.Run(ann, call("cancel_order", cancel))
	b.host.Change("refunds", func(rows []query.Row) []query.Row {
		return append(rows, query.Row{"id": int64(6), "order_id": int64(1), "amount": query.Decimal("1"), "owner": "bob"})
	})
	before := []any{b.host.Rows("orders"), b.host.Rows("items"), b.host.Rows("refunds")}
	d, err := b.Confirm(ann, turn.Proposals...)
	if err != nil || d.Proposals[0].State != deputy.Failed {
		t.Fatalf("%+v %v", d, err)
	}
	if after := []any{b.host.Rows("orders"), b.host.Rows("items"), b.host.Rows("refunds")}; !reflect.DeepEqual(before, after) {
		t.Errorf("something was written: %v", after)
	}
}

// TestWhatMayNotBeReadIsNotThere: an order of ann's has an item of bob's, and bob has refunded another.
func TestWhatMayNotBeReadIsNotThere(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	ann := deputytest.Person("ann", "agent")
	turn := b.Run(ann, call("ship_items", `{"id":"1"}`))
	if got := lines(turn.Proposals[0]); len(got) != 4 || strings.Contains(strings.Join(got, " "), "14") || strings.Contains(strings.Join(got, " "), "kept") {
		t.Errorf("shown: %q", got)
	}
	if s := turn.Proposals[0].Summary; s != "Ship what is left: update 2 items: state, shipped" {
		t.Errorf("summary %q", s)
	}
	if strings.Contains(fmt.Sprint(turn.Results, turn.Requests), "margin") {
		t.Error("a hidden field is named")
	}
	turn = b.Run(ann, call("refund", `{"id":"2","amount":"1"}`), call("hide_margin", `{"id":"1"}`))
	if len(turn.Proposals) != 1 || turn.Outcomes[0] != deputy.Proposed || turn.Results[1] != "Error: Unknown tool: hide_margin" {
		t.Errorf("%q", turn.Results) // the refund that she does not see counts for nothing, until the host's own rules
	}
	if d, err := b.Confirm(ann, turn.Proposals...); err != nil || d.Proposals[0].State != deputy.Failed || len(b.host.Rows("refunds")) != 1 {
		t.Errorf("%+v %v", d, err)
	}
}

func TestRightsAreThoseOfTheConfirmation(t *testing.T) {
	t.Parallel()
	directory := &people{roles: map[string][]string{}}
	b := open(t, ways(), func(c *deputy.Config) { c.Directory = directory })
	ann := deputytest.Person("ann", "agent")
	directory.set("ann", "agent")
	turn := b.Run(ann, call("cancel_order", cancel))
	directory.set("ann", "reader")
	d, err := b.Confirm(ann, turn.Proposals...)
	if err != nil || d.Proposals[0].State != deputy.Failed || d.Proposals[0].Outcome != "Not a write tool: cancel_order" || b.writes() != 0 {
		t.Errorf("%+v %v, %d writes", d, err, b.writes())
	}
	directory.set("ann", "agent")
	turn = b.Run(ann, call("cancel_order", cancel))
	directory.set("ann", "narrow")
	d, err = b.Confirm(ann, turn.Proposals...)
	if err != nil || d.Proposals[0].State != deputy.Failed || b.writes() != 0 {
		t.Errorf("%+v %v, %d writes", d, err, b.writes())
	}
	directory.set("ann", "agent")
	turn = b.Run(ann, call("cancel_order", cancel))
	chief := deputytest.Person("chief", "operator")
	directory.set("chief", "operator")
	if _, err := b.Door.SetKillSwitch(t.Context(), chief, true, "stop"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Confirm(ann, turn.Proposals...); deputy.CodeOf(err) != deputy.Killed || b.writes() != 0 {
		t.Errorf("%v, %d writes", err, b.writes())
	}
}

func TestWhatIsLeftOutIsItsDefault(t *testing.T) {
	t.Parallel()
	day := "2026-01-31"
	all := ways()
	all["refund"].Parameters["day"] = query.Parameter{Type: query.Date, Optional: true, Default: &day}
	b := open(t, all, nil)
	turn := b.Run(deputytest.Person("one", "chief"), call("refund", `{"id":"3","amount":"5.00"}`))
	if !slices.Contains(lines(turn.Proposals[0]), "create refunds  day: - > 2026-01-31 model") {
		t.Errorf("%q %q", turn.Results, lines(turn.Proposals[0]))
	}
}
