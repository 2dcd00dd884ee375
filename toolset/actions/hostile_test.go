package actions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/query"
	"example.com/deputy/toolset/actions"
)

// meddling is a host in which somebody else writes just before its nth query.
type meddling struct {
	*hosttest.Fake
	mu   sync.Mutex
	left int
	do   func(*hosttest.Fake)
}

func (m *meddling) before(n int, do func(*hosttest.Fake)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left, m.do = n, do
}

// Query implements deputy.Host.
func (m *meddling) Query(ctx context.Context, as deputy.Person, q query.Query) (query.Rows, error) {
	m.mu.Lock()
	if m.left--; m.left == 0 {
		m.do(m.Fake)
	}
	m.mu.Unlock()
	return m.Fake.Query(ctx, as, q)
}

// TestWhatIsWorkedOutIsOfTheRecordThatIsShown: whenever somebody else changes the total in between, no refund of the old one is made of an order that
// has the new one.
func TestWhatIsWorkedOutIsOfTheRecordThatIsShown(t *testing.T) {
	t.Parallel()
	for n := 1; n < 12; n++ {
		var host *meddling
		b := open(t, ways(), func(c *deputy.Config) {
			host = &meddling{Fake: c.Host.(*hosttest.Fake)}
			c.Host = host
		})
		ann := deputytest.Person("ann", "agent")
		host.before(n, func(f *hosttest.Fake) {
			f.Change("orders", func(rows []query.Row) []query.Row { rows[0]["total"] = query.Decimal("10.00"); return rows })
		})
		turn := b.Run(ann, call("cancel_order", cancel))
		if len(turn.Proposals) == 0 {
			continue
		}
		if _, err := b.Confirm(ann, turn.Proposals...); err != nil && deputy.CodeOf(err) != deputy.Stale {
			t.Fatal(err)
		}
		for _, r := range b.host.Rows("refunds") {
			if r["order_id"] == int64(1) && r["amount"] != b.row(t, "orders", 1)["total"] {
				t.Errorf("changed before query %d: a refund of %v of an order of %v", n, r["amount"], b.row(t, "orders", 1)["total"])
			}
		}
	}
}

// TestWhatIsWorkedOutOfAChildIsOfTheChildThatIsShown is the same for the steps.
func TestWhatIsWorkedOutOfAChildIsOfTheChildThatIsShown(t *testing.T) {
	t.Parallel()
	all := map[string]actions.Action{"cancel_order": {Label: "Keep states", Table: "orders",
		Then: []actions.Step{{Update: &actions.Update{Children: "items", Set: map[string]string{"owner": "state"}}}}}}
	for n := 1; n < 12; n++ {
		var host *meddling
		b := open(t, all, func(c *deputy.Config) {
			host = &meddling{Fake: c.Host.(*hosttest.Fake)}
			c.Host = host
		})
		chief := deputytest.Person("ann", "chief")
		host.before(n, func(f *hosttest.Fake) {
			f.Change("items", func(rows []query.Row) []query.Row { rows[1]["state"] = "returned"; return rows })
		})
		turn := b.Run(chief, call("cancel_order", `{"id":"1"}`))
		if len(turn.Proposals) == 0 {
			continue
		}
		_, err := b.Confirm(chief, turn.Proposals...)
		if i := b.row(t, "items", 11); err == nil && i["owner"] != i["state"] {
			t.Errorf("changed before query %d: %v", n, i)
		}
	}
}

// TestArgumentsOfEveryWrongShape: each is refused with a sentence, and none breaks anything.
func TestArgumentsOfEveryWrongShape(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	chief := deputytest.Person("one", "chief")
	for _, args := range []string{
		`null`, `[]`, `"1"`, `{}`, `{"id":null}`, `{"id":1}`, `{"id":["1"]}`, `{"id":{"a":1}}`, `{"id":""}`, `{"id":"1"} {}`, `{"id":"1","id":"2"}`,
		`{"id":"1","ID":"2"}`, `{"id":"1","n":"x"}`, `{"id":"1","n":1.5}`, `{"id":"1","n":1e3}`, `{"id":"1","n":99999999999999999999}`, `{"id":"1","n":true}`,
		`{"id":"1","n":[1]}`, `{"id":"1","n":{}}`, `{"id":"1","n":""}`, `{"id":"1","n":"1\u200b"}`, `{"id":"1","at":"now"}`, `{"id":"1","at":5}`, `{"id":"1","at":"2026-13-01"}`,
		`{"id":"1","sure":"true"}`, `{"id":"1","sure":1}`, `{"id":"1","note":5}`, `{"id":"1","note":false}`, `{"id":"1","note":["a"]}`,
		`{"id":"1","parameters.n":1}`, `{"id":"1","n":1,"n ":2}`, `{"id":"1 || true"}`, `{"id":"1\u0000"}`, `{"id":"\u200b1"}`, `{"id":" 1"}`, `{"id":"01"}`, `{"id":"+1"}`, `{"id":"[\"1\"]"}`,
		`{"id":"` + strings.Repeat("1", 1000) + `"}`, `{"id":"1","` + strings.Repeat("n", 1000) + `":1}`, `{"id":"1","n":` + strings.Repeat("9", 100_000) + `}`,
		`{"id":"1","n":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
	} {
		turn := b.Run(chief, call("ship_items", args))
		if turn.Outcomes[0] != deputy.Refused || len(turn.Proposals) != 0 || len(turn.Results[0]) > 2000 {
			t.Errorf("%.60s: %s %.200q", args, turn.Outcomes[0], turn.Results[0])
		}
	}
	for _, args := range []string{
		`{"id":"1","reason":"no longer needed\u200b"}`, `{"id":"1","reason":"nо longer needed"}`, `{"id":"1","reason":"No longer needed"}`, `{"id":"1","reason":"no longer needed "}`,
		`{"id":"1","reason":null}`, `{"id":"1","reason":["no longer needed"]}`, `{"id":"1","reason":"no longer needed\u0000"}`, `{"id":"1"}`,
	} {
		if turn := b.Run(chief, call("cancel_order", args)); turn.Outcomes[0] != deputy.Refused {
			t.Errorf("%s: %s", args, turn.Outcomes[0])
		}
	}
	if b.writes() != 0 {
		t.Error("the host was asked to write")
	}
}

// TestLongArgumentsAreKeptOnce: a proposal does not hold a copy of a text for each record that it changes.
func TestLongArgumentsAreKeptOnce(t *testing.T) {
	t.Parallel()
	all := ways()
	ship := all["ship_items"]
	ship.Then = []actions.Step{{Update: &actions.Update{Children: "items", Where: "shipped == null && id > parameters.n", Set: map[string]string{"state": `"x"`}}}}
	all["ship_items"] = ship
	b := open(t, all, nil)
	for _, note := range []string{strings.Repeat("x", 60_000), strings.Repeat("x", 200_000)} {
		turn := b.Run(deputytest.Person("one", "chief"), call("ship_items", `{"id":"1","n":1,"note":"`+note+`"}`))
		for _, p := range turn.Proposals {
			raw, err := json.Marshal(p)
			if err != nil || len(raw) > len(note)+10_000 {
				t.Errorf("a note of %d bytes makes a proposal of %d, %v", len(note), len(raw), err)
			}
		}
	}
}

// mixed has a role that may do a little by itself, and more by an action.
func mixed(c *deputy.Config) {
	c.Policy.Roles["mixed"] = deputy.Role{Tools: []string{"*"}, Actions: []string{"cancel_order"}, Tables: map[string]deputy.Access{
		"orders": {Read: all(), Update: deputy.Fields{Names: []string{"reason"}}}, "items": {Read: all()}, "refunds": {Read: all()}}}
}

// TestNothingElseOfTheTurnIsLent: beside an action, before it and behind it, what the role may not write stays so, also when it is proposed anew.
func TestNothingElseOfTheTurnIsLent(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), mixed)
	mia := deputytest.Person("mia", "mixed")
	status := call("update_record", `{"table":"orders","id":"3","values":[{"field":"status","value":"cancelled"}]}`)
	state := call("update_record", `{"table":"items","id":"13","values":[{"field":"state","value":"cancelled"}]}`)
	refund := call("create_record", `{"table":"refunds","values":[{"field":"order_id","value":"3"},{"field":"amount","value":"1"}]}`)
	reason := call("update_record", `{"table":"orders","id":"3","values":[{"field":"reason","value":"late"}]}`)
	same := call("update_record", `{"table":"orders","id":"1","values":[{"field":"reason","value":"late"}]}`)
	turn := b.Run(mia, status, state, refund, reason, call("cancel_order", cancel), status, state, refund, same)
	var got []string
	for i, o := range turn.Outcomes {
		if o == deputy.Proposed {
			got = append(got, fmt.Sprint(i))
		}
	}
	if strings.Join(got, " ") != "3 4" {
		t.Errorf("proposed are %v: %q", got, turn.Results)
	}
	b.host.Change("orders", func(rows []query.Row) []query.Row { rows[0]["total"] = query.Decimal("5.00"); return rows })
	d, err := b.Confirm(mia, turn.Proposals...)
	if deputy.CodeOf(err) != deputy.Stale || len(d.Renewed) != 2 {
		t.Fatalf("%+v %v", d, err)
	}
	if d, err = b.Confirm(mia, d.Renewed...); err != nil || d.Proposals[1].State != deputy.Done {
		t.Fatalf("%+v %v", d, err)
	}
	if o := b.row(t, "orders", 3); o["status"] != "pending" || o["reason"] != "late" {
		t.Errorf("%v", o)
	}
}

// TestAnActionThatIsNotOfferedAnyMoreIsNotCarriedOut: a field that it names is hidden between proposal and confirmation.
func TestAnActionThatIsNotOfferedAnyMoreIsNotCarriedOut(t *testing.T) {
	t.Parallel()
	for _, hidden := range []string{"orders.total", "orders.reason", "refunds.day", "orders.owner", "items.shipped", "items.state", "orders.status"} {
		directory := &people{roles: map[string][]string{}}
		b := open(t, ways(), func(c *deputy.Config) {
			c.Directory = directory
			less := c.Policy.Roles["agent"]
			less.Hide = append(slices.Clone(less.Hide), hidden)
			less.Tables = map[string]deputy.Access{"orders": {Read: all()}, "items": {Read: all()}, "refunds": {Read: all()}}
			c.Policy.Roles["less"] = less
		})
		directory.set("ann", "agent")
		ann := deputytest.Person("ann", "agent")
		turn := b.Run(ann, call("cancel_order", cancel))
		directory.set("ann", "less")
		d, err := b.Confirm(ann, turn.Proposals...)
		if err == nil && d.Proposals[0].State == deputy.Done || b.row(t, "orders", 1)["status"] != "pending" {
			t.Errorf("without %s: %+v %v", hidden, d.Proposals, err)
		}
		if err == nil && strings.Contains(d.Proposals[0].Outcome, strings.Split(hidden, ".")[1]) {
			t.Errorf("without %s: %s", hidden, d.Proposals[0].Outcome)
		}
	}
}

// TestWhatGoesBeforeInTheGroupCounts: of two that are proposed in one turn the second stands on what the first will have made, as it would a turn later.
func TestWhatGoesBeforeInTheGroupCounts(t *testing.T) {
	t.Parallel()
	all := map[string]actions.Action{"refund": {Label: "Refund an order", Table: "orders", When: "all.refunds.count() < 2",
		Then: []actions.Step{{Create: &actions.Create{Table: "refunds", Values: map[string]string{"order_id": "id", "amount": "total"}}}}}}
	b := open(t, all, nil)
	chief := deputytest.Person("one", "chief")
	turn := b.Run(chief, call("refund", `{"id":"1"}`), call("refund", `{"id":"3"}`))
	d, err := b.Confirm(chief, turn.Proposals...)
	if err != nil || len(turn.Proposals) != 2 || d.Proposals[1].State != deputy.Failed || len(b.host.Rows("refunds")) != 1 {
		t.Errorf("%d refunds, %+v %v", len(b.host.Rows("refunds")), d.Proposals, err)
	}
	turn = b.Run(chief, call("refund", `{"id":"1"}`), call("refund", `{"id":"3"}`))
	if _, err := b.Door.Reject(t.Context(), chief, turn.Proposals[0].ID); err != nil {
		t.Fatal(err)
	}
	if d, err := b.Confirm(chief, turn.Proposals[1]); err != nil || d.Proposals[0].State != deputy.Done || len(b.host.Rows("refunds")) != 2 {
		t.Errorf("%+v %v", d.Proposals, err)
	}
}

// TestSecretsStandInNoAction: neither in a condition, nor in a value.
func TestSecretsStandInNoAction(t *testing.T) {
	t.Parallel()
	host := shop()
	full, err := host.Catalog(t.Context(), deputy.Person{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []actions.Action{
		{Label: "x", Table: "orders", When: `pin == "1"`, Set: map[string]string{"reason": `"x"`}},
		{Label: "x", Table: "orders", Set: map[string]string{"reason": `pin`}},
		{Label: "x", Table: "orders", Set: map[string]string{"reason": `"x" + pin`}},
		{Label: "x", Table: "orders", Then: []actions.Step{{Create: &actions.Create{Table: "refunds", Values: map[string]string{"order_id": "id", "amount": "1", "owner": "pin"}}}}},
		{Label: "x", Table: "orders", Then: []actions.Step{{Update: &actions.Update{Children: "items", Where: `order.pin != ""`, Set: map[string]string{"state": "order.pin"}}}}},
	} {
		if _, err := actions.New(t.Context(), secretly{full}, map[string]actions.Action{"leak": a}); err == nil {
			t.Errorf("%+v", a)
		}
	}
}

// secretly is a catalog whose orders have a secret pin.
type secretly struct{ query.Catalog }

func (s secretly) Table(ctx context.Context, name string) (*query.Table, error) {
	t, err := s.Catalog.Table(ctx, name)
	if err != nil || name != "orders" {
		return t, err
	}
	more := *t
	more.Fields = append(slices.Clone(t.Fields), field("pin", query.String, func(f *query.Field) { f.Secret = true }))
	return &more, nil
}
