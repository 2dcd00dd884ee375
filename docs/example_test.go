package docs_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
)

type listOverdueIn struct {
	Days int `json:"days,omitzero" desc:"at least this many days overdue; 1 if absent"`
}

func listOverdue() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name:        "billing_list_overdue",
		Label:       "Looked up overdue invoices",
		Description: "Lists invoices that are overdue, the oldest first.",
		Operation:   "GET /table/invoices",
	}, runListOverdue)
}

func runListOverdue(ctx context.Context, s *deputy.Scope, in listOverdueIn) (deputy.Result, error) {
	if in.Days < 0 {
		return deputy.Result{}, deputy.Errorf(deputy.Invalid, "`days` must not be negative")
	}
	where, err := s.View().Condition(ctx, "invoices", fmt.Sprintf(`status != "paid" && due_on <= today() - days(%d)`, max(in.Days, 1)))
	if err != nil {
		return deputy.Result{}, err
	}
	oldest, err := s.View().Order(ctx, "invoices", "due_on")
	if err != nil {
		return deputy.Result{}, err
	}
	rows, err := s.View().Query(ctx, query.Query{
		Table: "invoices", Where: where, Order: []query.Order{oldest}, Limit: s.Window(0, 25),
	})
	return deputy.Result{Rows: &rows}, err
}

type creditInvoiceIn struct {
	ID string `json:"id" desc:"of the invoice"`
}

func creditInvoice() deputy.Tool {
	return deputy.ProposeTool(deputy.Definition{
		Name:        "billing_credit_invoice",
		Label:       "Proposed to credit an invoice",
		Description: "Proposes to credit one invoice. The person confirms it.",
		Operation:   "PATCH /table/invoices/{id}",
	}, draftCredit)
}

func draftCredit(ctx context.Context, s *deputy.Scope, in creditInvoiceIn) (deputy.Draft, error) {
	key, _, err := s.View().Key(ctx, "invoices", in.ID)
	if err != nil {
		return deputy.Draft{}, err
	}
	credited := "credited"
	return deputy.Draft{Changes: []deputy.Change{{
		Verb: deputy.Update, Table: "invoices", Key: key,
		Values: []deputy.Assign{{Field: "status", Type: query.String, Text: &credited}},
		When:   `status != "paid"`,
	}}}, nil
}

type remindIn struct {
	Customer string `json:"customer" desc:"their address"`
	Text     string `json:"text"`
}

func remind(m mail) deputy.Tool {
	return deputy.EffectTool(deputy.Definition{
		Name:        "billing_remind",
		Label:       "Proposed a reminder",
		Description: "Proposes a letter to a customer. The person confirms it.",
		Operation:   "POST /letters",
		NoHost:      true,
	}, draftReminder, m.send)
}

func draftReminder(_ context.Context, s *deputy.Scope, in remindIn) (deputy.Draft, error) {
	line := func(field, label string, text *string) deputy.Line {
		return deputy.Line{Table: "letters", Verb: deputy.Create, Field: field, Label: label, After: text, Source: s.Source(*text)}
	}
	return deputy.Draft{Summary: "Send a reminder", Lines: []deputy.Line{line("to", "To", &in.Customer), line("text", "Text", &in.Text)}}, nil
}

func (m mail) send(ctx context.Context, e *deputy.Effect, in remindIn) error {
	return m.post(ctx, e.Key(), in.Customer, in.Text)
}

// mail posts letters, one for each key.
type mail struct {
	post func(ctx context.Context, key, to, text string) error
}

// TestReminder: a letter is sent once, when it is confirmed.
func TestReminder(t *testing.T) {
	t.Parallel()
	var sent []string
	m := mail{func(_ context.Context, _, to, text string) error {
		sent = append(sent, to+": "+text)
		return nil
	}}
	desk := deputytest.New(t, deputytest.Config{Policy: deputytest.AllowAll("accounts"),
		Toolsets: []deputy.Toolset{{Name: "billing", Description: "Reminders.", Tools: []deputy.Tool{remind(m)}}}})
	ann := deputytest.Person("ann", "accounts")
	turn := desk.Run(ann, deputytest.Call("billing_remind", `{"customer":"acme@example.com","text":"Please pay."}`))
	if len(turn.Proposals) != 1 || len(sent) != 0 {
		t.Fatal(turn.Results, sent)
	}
	if made, err := desk.Confirm(ann, turn.Proposals...); err != nil || made.Proposals[0].State != deputy.Done || len(sent) != 1 || sent[0] != "acme@example.com: Please pay." {
		t.Error(made, err, sent)
	}
}

func billing() deputy.Toolset {
	return deputy.Toolset{Name: "billing", Description: "Overdue invoices.", Tools: []deputy.Tool{listOverdue(), creditInvoice()}}
}

// Example runs a turn with the two tools over a host in memory: what a test of your own tool looks like.
func Example() {
	ctx := context.Background()
	host := hosttest.New([]query.Table{{
		Name: "invoices", Label: "Invoices", Key: []string{"id"},
		Fields: []query.Field{
			{Name: "id", Label: "Id", Type: query.Int, Required: true},
			{Name: "due_on", Label: "Due on", Type: query.Date},
			{Name: "status", Label: "Status", Type: query.String},
		},
	}}, map[string][]query.Row{"invoices": {
		{"id": int64(1), "due_on": query.Day("2020-01-01"), "status": "sent"},
		{"id": int64(2), "due_on": query.Day("2020-01-02"), "status": "paid"},
	}})
	model := scripted.New(func(r deputy.Request) scripted.Answer {
		switch scripted.Step(r) {
		case 1:
			return scripted.Answer{Calls: []scripted.Call{{Tool: "billing_list_overdue"}}}
		case 2:
			return scripted.Answer{Calls: []scripted.Call{{Tool: "billing_credit_invoice", Arguments: map[string]string{"id": "1"}}}}
		}
		return scripted.Answer{Text: "Invoice 1 is overdue; I propose to credit it."}
	})
	assistant, err := deputy.New(ctx, deputy.Config{
		Host: host, Models: []deputy.Model{model}, Store: memory.New(), Toolsets: []deputy.Toolset{billing()},
		Policy: deputy.Policy{Roles: map[string]deputy.Role{"accounts": {
			Tools:  []string{"*"},
			Tables: map[string]deputy.Access{"invoices": {Read: deputy.Fields{All: true}, Update: deputy.Fields{Names: []string{"status"}}}},
		}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = assistant.Close() }()

	door := assistant.Door(deputy.Chat)
	who := deputy.Caller{Person: deputy.Person{Issuer: "test", ID: "ann", Roles: []string{"accounts"}}, Confirm: true}
	for event, err := range door.Turn(ctx, who, deputy.TurnInput{Text: "Which invoices are overdue?"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if event.Name == deputy.EventToolFinished {
			fmt.Println(event.Name)
		}
	}
	waiting, err := door.Proposals(ctx, who, deputy.ProposalFilter{}, 0, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(waiting[0].Summary)
	decided, err := door.Confirm(ctx, who, waiting[0].ID, []deputy.Shown{{ID: waiting[0].ID, Hash: waiting[0].Hash}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(decided.Proposals[0].State, host.Rows("invoices")[0]["status"])
	// Output:
	// tool.finished
	// tool.finished
	// Update invoice 1: status
	// done credited
}

type echo struct{}

func (echo) Info() deputy.ModelInfo {
	return deputy.ModelInfo{Name: "echo", Provider: "echo", Model: "echo"}
}

func (echo) Stream(ctx context.Context, r deputy.Request) iter.Seq2[deputy.Chunk, error] {
	return func(yield func(deputy.Chunk, error) bool) {
		last := r.Messages[len(r.Messages)-1]
		_ = yield(deputy.Chunk{Text: last.Text()}, nil) && yield(deputy.Chunk{Stop: deputy.StopEnd}, nil)
	}
}

// Example_provider asks a model of one's own.
func Example_provider() {
	ctx := context.Background()
	assistant, err := deputy.New(ctx, deputy.Config{
		Host: hosttest.New(nil, nil), Store: memory.New(), Models: []deputy.Model{echo{}},
		Policy:   deputy.Policy{Roles: map[string]deputy.Role{"accounts": {Tools: []string{"*"}}}},
		Toolsets: []deputy.Toolset{{Name: "billing", Tools: []deputy.Tool{listOverdue()}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer assistant.Close()
	who := deputy.Caller{Person: deputy.Person{Issuer: "test", ID: "ann", Roles: []string{"accounts"}}}
	for event, err := range assistant.Door(deputy.Chat).Turn(ctx, who, deputy.TurnInput{Text: "Good morning."}) {
		if err != nil || event.Name == deputy.EventTextDelta {
			fmt.Println(string(event.Data), err)
		}
	}
	// Output: {"step":1,"at":0,"text":"Good morning."} <nil>
}
