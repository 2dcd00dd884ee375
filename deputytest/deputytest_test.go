package deputytest_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
)

func shop() deputytest.Config {
	all := deputy.Fields{All: true}
	return deputytest.Config{
		Tables: []query.Table{{Name: "invoices", Label: "Invoices", Key: []string{"id"}, Fields: []query.Field{
			{Name: "id", Label: "Id", Type: query.Int, Generated: true}, {Name: "owner", Label: "Owner", Type: query.String},
			{Name: "status", Label: "Status", Type: query.String},
		}}},
		Rows: map[string][]query.Row{"invoices": {
			{"id": int64(1), "owner": "ann", "status": "sent"}, {"id": int64(2), "owner": "ann", "status": "sent"}, {"id": int64(3), "owner": "bob", "status": "sent"},
		}},
		Policy: deputy.Policy{Roles: map[string]deputy.Role{
			"owner": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"invoices": {Read: all, Update: all, Rows: "owner == person.id"}}},
			"north": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"invoices": {Read: all, Rows: "owner == person.attributes.of"}}},
		}},
	}
}

func pay(id string) string {
	return fmt.Sprintf(`{"table":"invoices","id":%q,"values":[{"field":"status","value":"paid"}]}`, id)
}

func TestReadProposeConfirm(t *testing.T) {
	t.Parallel()
	desk := deputytest.New(t, shop())
	ann := deputytest.Person("ann", "owner")
	desk.Script(deputytest.Call("count_records", `{"table":"invoices"}`), deputytest.Call("update_record", pay("1")), scripted.Answer{Text: "Please confirm."})
	turn := desk.Ask(ann, "Invoice 1 is paid.")
	if turn.Reason != deputy.Answered || turn.Text != "Please confirm." || fmt.Sprint(turn.Outcomes) != "[ran proposed]" || len(turn.Results) != 2 || len(turn.Proposals) != 1 {
		t.Fatalf("%+v", turn)
	}
	if got := string(turn.Data(t, 0)); !strings.Contains(got, `"rows":[[2]]`) {
		t.Errorf("ann counts %s", got)
	}
	if len(turn.Requests) != 3 || scripted.User(turn.Requests[2]) != "Invoice 1 is paid." || turn.Events[0].Name != deputy.EventTurnStarted {
		t.Errorf("%d requests, %v", len(turn.Requests), turn.Events[0])
	}
	if got := desk.Host.Rows("invoices")[0]["status"]; got != "sent" {
		t.Errorf("before the confirmation it is %v", got)
	}
	if _, err := desk.Confirm(deputytest.Person("bob", "owner"), turn.Proposals...); deputy.CodeOf(err) != deputy.NotFound {
		t.Errorf("bob: %v", err)
	}
	decision, err := desk.Confirm(ann, turn.Proposals...)
	if err != nil || decision.Proposals[0].State != deputy.Done || desk.Host.Rows("invoices")[0]["status"] != "paid" {
		t.Errorf("%+v, %v", decision, err)
	}
	if _, err := desk.Confirm(ann, turn.Proposals...); deputy.CodeOf(err) != deputy.AlreadyDecided {
		t.Errorf("again: %v", err)
	}
	var log []string
	for _, e := range desk.Log() {
		log = append(log, string(e.Outcome))
	}
	if got := strings.Join(log, " "); got != "ran proposed confirming confirmed" {
		t.Errorf("the log: %s", got)
	}
}

// A group is confirmed as a whole; calls of one step keep their order; the same twice gives the same.
func TestGroup(t *testing.T) {
	t.Parallel()
	var first deputytest.Turn
	for range 2 {
		desk := deputytest.New(t, shop())
		ann := deputytest.Person("ann", "owner")
		turn := desk.Run(ann, scripted.Answer{Calls: []scripted.Call{
			deputytest.Call("update_record", pay("2")).Calls[0], deputytest.Call("nothing", "").Calls[0], deputytest.Call("update_record", pay("1")).Calls[0],
		}})
		if fmt.Sprint(turn.Outcomes) != "[proposed refused proposed]" || len(turn.Proposals) != 2 || turn.Proposals[0].Record != "2" {
			t.Fatalf("%v %q %+v", turn.Outcomes, turn.Results, turn.Proposals)
		}
		decision, err := desk.Confirm(ann, turn.Proposals...)
		if err != nil || len(decision.Proposals) != 2 || desk.Host.Rows("invoices")[0]["status"] != "paid" || desk.Host.Rows("invoices")[1]["status"] != "paid" {
			t.Errorf("%+v, %v", decision, err)
		}
		if first.ID == "" {
			first = turn
		}
		if first.ID != turn.ID || fmt.Sprint(first.Results[0]) != fmt.Sprint(turn.Results[0]) || first.Conversation != turn.Conversation {
			t.Errorf("ids differ from run to run: %s, %s", first.ID, turn.ID)
		}
	}
}

func TestConversationAndTime(t *testing.T) {
	t.Parallel()
	c := shop()
	c.Now = time.Date(2030, 5, 6, 7, 8, 9, 0, time.UTC)
	c.Toolsets = []deputy.Toolset{records.New(records.Config{}), present.New()}
	desk := deputytest.New(t, c)
	who := deputytest.Person("cal", "north")
	who.Attributes["of"] = "bob"
	first := desk.Run(who, deputytest.Call("query_records", `{"table":"invoices"}`), deputytest.Call("present_results", `{"view":"table","call_id":"c1"}`))
	if len(first.Displays) != 1 || !strings.Contains(strings.Join(first.Offered(), " "), "present_results") {
		t.Errorf("%d displays, %q", len(first.Displays), first.Results)
	}
	desk.Pass(time.Hour)
	desk.Decide(func(r deputy.Request) scripted.Answer {
		return scripted.Answer{Text: fmt.Sprintf("%s, in %d messages", scripted.User(r), len(r.Messages))}
	})
	second := desk.Say(who, deputy.TurnInput{Conversation: first.Conversation, Text: "And now?"})
	if second.Text != "And now?, in 7 messages" || len(second.Results) != 0 {
		t.Errorf("%q, %q", second.Text, second.Results)
	}
	desk.Decide(nil)
	if third := desk.Ask(who, "x"); third.Text != "Done." || third.Conversation == first.Conversation {
		t.Errorf("%+v", third)
	}
	if log := desk.Log(); len(log) != 2 || !log[0].At.Equal(c.Now) {
		t.Errorf("%+v", log)
	}
}

func TestRefusalAndAdjust(t *testing.T) {
	t.Parallel()
	c := shop()
	c.Host = other{hosttest.New(c.Tables, c.Rows)}
	c.Policy = deputytest.AllowAll("all", "more")
	c.Adjust = func(cfg *deputy.Config) { cfg.Limits.Steps, cfg.Store = 1, memory.New() }
	desk := deputytest.New(t, c)
	if err := desk.Refusal(deputytest.Person("eve"), "Hello"); deputy.CodeOf(err) != deputy.PermissionDenied {
		t.Errorf("no role: %v", err)
	}
	desk.Script(deputytest.Call("query_records", `{"table":"invoices"}`), scripted.Answer{Text: "never said"})
	turn := desk.Ask(deputytest.Person("max", "more"), "All of them")
	if turn.Reason != deputy.StepLimit || desk.Host != nil || len(desk.Log()) != 1 {
		t.Errorf("%s, host %v, log %d", turn.Reason, desk.Host, len(desk.Log()))
	}
	desk.Ask(deputytest.Person("max", "all"), "takes the rest of the script")
}

// other is a host that is not the one in memory.
type other struct{ deputy.Host }

// What is wrong with a test is said, and fails it.
func TestFailures(t *testing.T) {
	t.Parallel()
	ann := deputytest.Person("ann", "owner")
	for want, try := range map[string]func(testing.TB){
		"2 answers of the script were never given": func(tb testing.TB) {
			deputytest.New(tb, shop()).Script(scripted.Answer{Text: "a"}, scripted.Answer{Text: "b"})
		},
		"the assistant does not start": func(tb testing.TB) { c := shop(); c.Rows, c.Tables = nil, nil; deputytest.New(tb, c) },
		"ann was not refused":          func(tb testing.TB) { deputytest.New(tb, shop()).Refusal(ann, "Hello") },
		"eve says":                     func(tb testing.TB) { deputytest.New(tb, shop()).Ask(deputytest.Person("eve"), "Hello") },
		"no proposal to confirm":       func(tb testing.TB) { _, _ = deputytest.New(tb, shop()).Confirm(ann) },
		"no data in result 0":          func(tb testing.TB) { deputytest.New(tb, shop()).Run(ann, deputytest.Call("nothing", "")).Data(tb, 0) },
		"no result 1":                  func(tb testing.TB) { deputytest.New(tb, shop()).Run(ann, deputytest.Call("nothing", "")).Data(tb, 1) },
		"the turn ended as model_error": func(tb testing.TB) {
			deputytest.New(tb, shop()).Run(ann, scripted.Answer{Err: errors.New("the line is cut")})
		},
		"conversation": func(tb testing.TB) {
			deputytest.New(tb, shop()).Say(ann, deputy.TurnInput{Conversation: "cnv_none", Text: "x"})
		},
	} {
		if got := fate(t, try); !strings.Contains(got, want) {
			t.Errorf("it said %q, not %q", got, want)
		}
	}
}

// fate is what a test that does as try does is told.
func fate(t *testing.T, try func(testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		try(r)
	}()
	<-done
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
	return strings.Join(r.said, "\n")
}

// recorder is a test that keeps its failures to itself.
type recorder struct {
	testing.TB
	said     []string
	cleanups []func()
}

func (r *recorder) Helper()                   {}
func (r *recorder) Failed() bool              { return len(r.said) > 0 }
func (r *recorder) Cleanup(f func())          { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(f string, a ...any) { r.said = append(r.said, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatal(a ...any)            { r.said = append(r.said, fmt.Sprint(a...)); runtime.Goexit() }
func (r *recorder) Fatalf(f string, a ...any) { r.Errorf(f, a...); runtime.Goexit() }
