package deputy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/kernel"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
)

func field(name, label string, t query.Type) query.Field {
	return query.Field{Name: name, Label: label, Type: t, Scale: -1}
}

func with(f query.Field, change func(*query.Field)) query.Field {
	change(&f)
	return f
}

func required(f *query.Field)  { f.Required = true }
func generated(f *query.Field) { f.Generated = true }

// shop is a business with customers, their invoices, and notes that go with their invoice.
func shop() *hosttest.Fake {
	id := with(field("id", "Id", query.Int), generated)
	customers := query.Table{Name: "customers", Label: "Customers", Key: []string{"id"}, RecordLabel: "name",
		Fields: []query.Field{id, with(field("name", "Name", query.String), required), field("phone", "Phone", query.String),
			with(field("email", "E-mail", query.String), func(f *query.Field) { f.Unique = true }), field("country", "Country", query.String),
			with(field("status", "Status", query.String), func(f *query.Field) { f.Values = []string{"new", "vip"} }),
			with(field("password", "Password", query.String), func(f *query.Field) { f.Secret = true }), field("rep_id", "Rep", query.Int)},
		Relations: []query.Relation{{Name: "invoices", Label: "Invoices", Table: "invoices", From: []string{"id"}, To: []string{"customer_id"}, Many: true}}}
	invoices := query.Table{Name: "invoices", Label: "Invoices", Key: []string{"id"},
		Fields: []query.Field{id, with(field("customer_id", "Customer", query.Int), required),
			with(field("total", "Total", query.Dec), func(f *query.Field) { f.Scale = 2 })},
		Relations: []query.Relation{{Name: "customer", Label: "Customer", Table: "customers", From: []string{"customer_id"}, To: []string{"id"}},
			{Name: "notes", Label: "Notes", Table: "notes", From: []string{"id"}, To: []string{"invoice_id"}, Many: true, Cascade: true}}}
	notes := query.Table{Name: "notes", Label: "Notes", Key: []string{"id"},
		Fields:    []query.Field{id, field("invoice_id", "Invoice", query.Int), field("text", "Text", query.String), field("private", "Private", query.Bool)},
		Relations: []query.Relation{{Name: "invoice", Label: "Invoice", Table: "invoices", From: []string{"invoice_id"}, To: []string{"id"}}}}
	salaries := query.Table{Name: "salaries", Label: "Salaries", Key: []string{"id"}, Fields: []query.Field{id, field("amount", "Amount", query.Dec)}}
	c := func(id int64, name, country string, rep int64) query.Row {
		return query.Row{"id": id, "name": name, "phone": fmt.Sprintf("+47 %d", id), "email": strings.ToLower(name) + "@example.com", "country": country,
			"status": "new", "password": "secret", "rep_id": rep}
	}
	inv := func(id, customer int64, total string) query.Row {
		return query.Row{"id": id, "customer_id": customer, "total": query.Decimal(total)}
	}
	note := func(id, invoice int64, text string, private bool) query.Row {
		return query.Row{"id": id, "invoice_id": invoice, "text": text, "private": private}
	}
	return hosttest.New([]query.Table{customers, invoices, notes, salaries}, map[string][]query.Row{
		"customers": {c(1, "Acme", "NO", 3), c(2, "Beta", "SE", 4), c(3, "Gamma", "NO", 3)},
		"invoices":  {inv(10, 1, "100.10"), inv(11, 2, "100.11"), inv(12, 1, "5.00")},
		"notes":     {note(100, 10, "call back", false), note(101, 12, "paid late", false), note(102, 11, "theirs", false)},
		"salaries":  {{"id": int64(1), "amount": query.Decimal("1000000")}},
	})
}

func all() deputy.Fields { return deputy.Fields{All: true} }

func some(names ...string) deputy.Fields { return deputy.Fields{Names: names} }

func policy() deputy.Policy {
	return deputy.Policy{Roles: map[string]deputy.Role{
		"support": {Tools: []string{"*"}, Hide: []string{"customers.rep_id"}, Tables: map[string]deputy.Access{
			"customers": {Read: all(), Create: some("name", "phone", "email"), Update: some("phone", "email", "status"), Rows: "rep_id == person.attributes.rep"},
			"invoices":  {Read: all(), Delete: true, Update: some("total", "customer_id"), Rows: "customer.rep_id == person.attributes.rep"},
			"notes":     {Read: all(), Delete: true, Rows: "!private"},
		}},
		"manager":  {Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": {Read: all(), Create: all(), Update: all(), Delete: true}}},
		"auditor":  {Audit: true},
		"operator": {Operate: true},
	}}
}

func person(id string, roles ...string) deputy.Person {
	return deputy.Person{Issuer: "test", ID: id, Name: id, Roles: roles, Attributes: map[string]string{}}
}

func caller(id string, roles ...string) deputy.Caller {
	return deputy.Caller{Person: person(id, roles...), Confirm: true}
}

// ann supports the customers 1 and 3, bob customer 2; the boss sees everything.
func ann() deputy.Caller  { return rep("ann", "3") }
func bob() deputy.Caller  { return rep("bob", "4") }
func boss() deputy.Caller { return caller("max", "manager") }

func rep(id, number string) deputy.Caller {
	c := caller(id, "support")
	c.Attributes["rep"] = number
	return c
}

// bench is an assistant over the shop, its clock, and everything that its model was asked.
type bench struct {
	*deputy.Assistant
	host  *hosttest.Fake
	store deputy.Store

	mu    sync.Mutex
	now   time.Time
	ids   int
	asked []deputy.Request
}

// setup makes a bench. The model gives the answers one after another, whatever it is asked.
func setup(t *testing.T, change func(*deputy.Config), answers ...scripted.Answer) *bench {
	t.Helper()
	next := 0
	return setupModel(t, change, func(b *bench, _ deputy.Request) scripted.Answer {
		if next >= len(answers) {
			return scripted.Answer{Text: "done"}
		}
		next++
		return answers[next-1]
	})
}

func setupModel(t *testing.T, change func(*deputy.Config), answer func(*bench, deputy.Request) scripted.Answer) *bench {
	t.Helper()
	b := &bench{host: shop(), store: memory.New(), now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	model := scripted.New(func(r deputy.Request) scripted.Answer {
		b.mu.Lock()
		b.asked = append(b.asked, r)
		b.mu.Unlock()
		return answer(b, r)
	})
	cfg := deputy.Config{Host: b.host, Models: []deputy.Model{model}, Store: b.store, Policy: policy(), Clock: b.clock, NewID: b.id,
		Toolsets: tools(),
		Limits:   deputy.Limits{TurnsPerMinute: -1}}
	if change != nil {
		change(&cfg)
	}
	a, err := deputy.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Assistant = a
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func tools() []deputy.Toolset {
	return []deputy.Toolset{records.New(records.Config{Pages: map[string]string{"customers": "/customers/{id}"}}), present.New(), kernel.New()}
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

func (b *bench) id() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ids++
	return fmt.Sprintf("%026d", b.ids)
}

func (b *bench) requests() []deputy.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]deputy.Request(nil), b.asked...)
}

func (b *bench) door() *deputy.Door { return b.Door(deputy.Chat) }

// told is one turn as it was followed.
type told struct {
	turn, conversation string
	end                deputy.TurnFinished
	names              []string
	tools              []deputy.ToolFinished
	shows              []deputy.Shows
}

// ask runs a turn to its end.
func (b *bench) ask(t *testing.T, who deputy.Caller, conversation, text string) told {
	t.Helper()
	return b.say(t, who, deputy.TurnInput{Conversation: conversation, Text: text})
}

func (b *bench) say(t *testing.T, who deputy.Caller, in deputy.TurnInput) told {
	t.Helper()
	var out told
	for e, err := range b.door().Turn(t.Context(), who, in) {
		if err != nil {
			t.Fatal(err)
		}
		out.names = append(out.names, e.Name)
		out.take(t, e)
	}
	return out
}

func (o *told) take(t *testing.T, e deputy.Event) {
	t.Helper()
	var err error
	switch e.Name {
	case deputy.EventTurnStarted:
		var s deputy.TurnStarted
		err = json.Unmarshal(e.Data, &s)
		o.turn, o.conversation = s.Turn, s.Conversation
	case deputy.EventToolFinished:
		var f deputy.ToolFinished
		err = json.Unmarshal(e.Data, &f)
		o.tools = append(o.tools, f)
	case deputy.EventDisplay:
		var s deputy.Shows
		err = json.Unmarshal(e.Data, &s)
		o.shows = append(o.shows, s)
	case deputy.EventTurnFinished:
		err = json.Unmarshal(e.Data, &o.end)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// results are the texts that the last model call was given for the calls of its conversation.
func (b *bench) results() []string {
	var out []string
	rs := b.requests()
	for _, m := range rs[len(rs)-1].Messages {
		for _, p := range m.Parts {
			if p.Result != nil {
				out = append(out, p.Result.Text)
			}
		}
	}
	return out
}

// rows are the rows of a result's text, as JSON.
func rowsOf(t *testing.T, text string) string {
	t.Helper()
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 {
		return text
	}
	var r struct{ Rows json.RawMessage }
	if err := json.Unmarshal([]byte(text[from:to+1]), &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return string(r.Rows)
}

func (b *bench) proposals(t *testing.T, who deputy.Caller) []deputy.Proposal {
	t.Helper()
	ps, err := b.door().Proposals(t.Context(), who, deputy.ProposalFilter{State: deputy.Pending}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

func (b *bench) log(t *testing.T) []deputy.Entry {
	t.Helper()
	es, err := b.store.Log.All(context.Background(), deputy.LogFilter{}, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return es
}

func calls(cs ...scripted.Call) scripted.Answer { return scripted.Answer{Calls: cs} }

func do(tool, arguments string) scripted.Call {
	return scripted.Call{Tool: tool, Arguments: json.RawMessage(arguments)}
}

func shown(ps ...deputy.Proposal) (out []deputy.Shown) {
	for _, p := range ps {
		out = append(out, deputy.Shown{ID: p.ID, Hash: p.Hash})
	}
	return out
}

func code(t *testing.T, err error, want deputy.Code) {
	t.Helper()
	if err == nil || deputy.CodeOf(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// oneCall is a model that makes one call a turn.
type oneCall struct{ next scripted.Call }

func (m *oneCall) answer(_ *bench, r deputy.Request) scripted.Answer {
	if scripted.Step(r) == 1 {
		return calls(m.next)
	}
	return scripted.Answer{Text: "done"}
}
