package deputy_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/store/memory"
)

// pings is a toolset of tools without parameters that answer that they ran.
func pings(set string, verbs ...string) deputy.Toolset {
	out := deputy.Toolset{Name: set, Description: "Tools of " + set + "."}
	for _, v := range verbs {
		out.Tools = append(out.Tools, deputy.ReadTool(deputy.Definition{Name: set + "_" + v, Description: v, NoHost: true},
			func(context.Context, *deputy.Scope, struct{}) (deputy.Result, error) {
				return deputy.Result{Value: map[string]string{"ran": set + "_" + v}}, nil
			}))
	}
	return out
}

// sets gives an assistant toolsets beside its core.
func sets(more ...deputy.Toolset) func(*deputy.Config) {
	return func(c *deputy.Config) {
		for _, s := range c.Toolsets {
			c.Core = append(c.Core, s.Name)
		}
		c.Toolsets = append(c.Toolsets, more...)
	}
}

func pingAndPong() func(*deputy.Config) {
	pong := pings("pong", "hit")
	pong.Tables = []string{"invoices"}
	return sets(pings("ping", "send", "count"), pong)
}

func specs(r deputy.Request) (out []string) {
	for _, s := range r.Tools {
		out = append(out, s.Name)
	}
	return out
}

// beyond are the tools of a request that are not of the core.
func beyond(r deputy.Request) (out []string) {
	for _, s := range r.Tools {
		if strings.HasPrefix(s.Name, "ping_") || strings.HasPrefix(s.Name, "pong_") {
			out = append(out, s.Name)
		}
	}
	return out
}

func (b *bench) last() deputy.Request {
	rs := b.requests()
	return rs[len(rs)-1]
}

func isActive(t *testing.T, r deputy.Request, want ...string) {
	t.Helper()
	_, after, _ := strings.Cut(r.Toolsets, "\nACTIVE\n")
	on, _, _ := strings.Cut(after, "\n\nINACTIVE")
	var got []string
	for line := range strings.Lines(on) {
		if name, _, ok := strings.Cut(line, " — "); ok {
			got = append(got, name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("active are %q, want %q, in:\n%s", got, want, r.Toolsets)
	}
}

func TestWithoutToolsetsNothingTellsOfThem(t *testing.T) {
	t.Parallel()
	all := setup(t, nil)
	all.ask(t, ann(), "", "hello")
	core := setup(t, sets())
	core.ask(t, ann(), "", "hello")
	a, b := all.last(), core.last()
	a.Messages[0].Turn, b.Messages[0].Turn = "", ""
	if !reflect.DeepEqual(a, b) || a.Toolsets != "" || slices.Contains(specs(a), "enable_toolset") {
		t.Errorf("the request tells of toolsets: %q, %v", b.Toolsets, specs(b))
	}
}

func TestSection(t *testing.T) {
	t.Parallel()
	b := setup(t, pingAndPong(), calls(do("enable_toolset", `{"names":["pong"]}`)))
	b.ask(t, ann(), "", "hello")
	want := `## Toolsets
Named groups of tools. Sets are per conversation. Use enable_toolset({"names": ["X"]}) to add, disable_toolset({"names": ["X"]}) to remove. Both are idempotent.

ACTIVE
(none)

INACTIVE call enable_toolset({"names": ["X"]}) to add
ping — Tools of ping.
pong — Tools of pong.`
	rs := b.requests()
	if rs[0].Toolsets != want {
		t.Errorf("the section is\n%s", rs[0].Toolsets)
	}
	if !strings.HasSuffix(rs[0].Instructions(), "\n\n"+want) || !strings.HasPrefix(rs[0].Instructions(), rs[0].System) {
		t.Error("the section is not the end of the system text")
	}
	want = strings.Replace(strings.Replace(want, "(none)", "pong — Tools of pong.", 1), "\nping — Tools of ping.\npong — Tools of pong.", "\nping — Tools of ping.", 1)
	if rs[1].Toolsets != want || rs[1].System != rs[0].System {
		t.Errorf("with pong active it is\n%s", rs[1].Toolsets)
	}
	if len(beyond(rs[0])) != 0 || !slices.Equal(beyond(rs[1]), []string{"pong_hit"}) {
		t.Errorf("tools %v, then %v", beyond(rs[0]), beyond(rs[1]))
	}
	core := specs(rs[0])
	if !slices.IsSorted(core) || !slices.Contains(core, "enable_toolset") || !slices.Equal(specs(rs[1])[:len(core)], core) {
		t.Errorf("the core is not the sorted beginning: %v, then %v", core, specs(rs[1]))
	}
}

func TestAnswersOfSwitching(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, arguments, want string }{
		{"enable_toolset", `{"names":["ping"]}`, "Toolset 'ping' activated."},
		{"enable_toolset", `{"name":"ping"}`, "Toolset 'ping' activated."},
		{"enable_toolset", `{"names":"ping"}`, "Toolset 'ping' activated."},
		{"enable_toolset", `{"names":["ping","ping","nothing"," pong "]}`, "Toolset 'ping' activated.\nToolset 'ping' is already active.\nToolset 'nothing' not found.\nToolset 'pong' activated."},
		{"enable_toolset", `{"names":["records"]}`, "Toolset 'records' not found."},
		{"enable_toolset", `{"names":["PING"]}`, "Toolset 'PING' not found."},
		{"enable_toolset", `{"names":["</data>\u0000<x"]}`, `Toolset '\u003c/data\u003e\u003cx' not found.`},
		{"enable_toolset", `{}`, "Error: name is required."},
		{"enable_toolset", `{"names":[]}`, "Error: name is required."},
		{"enable_toolset", `{"names":["ping",""]}`, "Error: name is required."},
		{"enable_toolset", `{"names":["  "]}`, "Error: name is required."},
		{"enable_toolset", `{"names":7}`, "Error: name is required."},
		{"enable_toolset", `{"names":[7]}`, "Error: name is required."},
		{"enable_toolset", `[]`, "Error: name is required."},
		{"enable_toolset", `not json`, "Error: name is required."},
		{"disable_toolset", `{"names":["ping"]}`, "Toolset 'ping' deactivated."},
		{"disable_toolset", `{"names":["ping","nothing"]}`, "Toolset 'ping' deactivated.\nToolset 'nothing' not found."},
		{"disable_toolset", `{}`, "Error: name is required."},
	} {
		b := setup(t, pingAndPong(), calls(do(c.tool, c.arguments)))
		b.ask(t, ann(), "", "hello")
		if got := b.results()[0]; got != c.want {
			t.Errorf("%s %s answers %q, want %q", c.tool, c.arguments, got, c.want)
		}
		if e := b.log(t)[0]; e.Tool != c.tool || (e.Outcome == deputy.Refused) != strings.HasPrefix(c.want, "Error") {
			t.Errorf("%s %s has the row %+v", c.tool, c.arguments, e)
		}
	}
}

func TestSwitchingTwice(t *testing.T) {
	t.Parallel()
	b := setup(t, pingAndPong(), calls(do("enable_toolset", `{"names":["pong"]}`)), calls(do("enable_toolset", `{"names":["ping","pong"]}`)),
		calls(do("disable_toolset", `{"names":["pong"]}`)), calls(do("disable_toolset", `{"names":["pong"]}`)))
	said := b.ask(t, ann(), "", "hello")
	if got := strings.Join(b.results(), "|"); got != "Toolset 'pong' activated.|Toolset 'ping' activated.\nToolset 'pong' is already active.|Toolset 'pong' deactivated.|Toolset 'pong' deactivated." {
		t.Errorf("answers %s", got)
	}
	rs := b.requests()
	if !slices.Equal(beyond(rs[2]), []string{"pong_hit", "ping_count", "ping_send"}) { // in the order of activation, sorted inside
		t.Errorf("tools %v", beyond(rs[2]))
	}
	isActive(t, rs[2], "ping", "pong") // in the order of configuration
	isActive(t, rs[4], "ping")
	if n := strings.Count(strings.Join(said.names, " "), deputy.EventToolsetChanged); n != 3 {
		t.Errorf("%d changes are told of in %v", n, said.names)
	}
}

// TestUseActivates: a call of a tool whose set is not active runs, and activates it; a name that is no tool's does nothing.
func TestUseActivates(t *testing.T) {
	t.Parallel()
	b := setup(t, pingAndPong(), calls(do("ping_send", `{}`)))
	said := b.ask(t, ann(), "", "hello")
	if got := b.results()[0]; !strings.Contains(got, `"ran":"ping_send"`) {
		t.Errorf("it answers %s", got)
	}
	isActive(t, b.last(), "ping")
	if !slices.Contains(said.names, deputy.EventToolsetChanged) {
		t.Errorf("nothing tells of it: %v", said.names)
	}

	b = setup(t, pingAndPong(), calls(do("ping_nothing", `{}`)))
	said = b.ask(t, ann(), "", "hello")
	if got := b.results(); len(got) != 1 || got[0] != "Error: Unknown tool: ping_nothing" {
		t.Errorf("it answers %q", got)
	}
	isActive(t, b.last())
	if slices.Contains(said.names, deputy.EventToolsetChanged) || len(b.requests()) != 2 || len(b.log(t)) != 1 {
		t.Errorf("it did more: %v, %d requests, %d rows", said.names, len(b.requests()), len(b.log(t)))
	}
}

func TestIdleToolsets(t *testing.T) {
	t.Parallel()
	next := calls(do("enable_toolset", `{"names":["pong","ping"]}`))
	b := setupModel(t, pingAndPong(), func(_ *bench, r deputy.Request) scripted.Answer {
		if scripted.Step(r) == 1 {
			return next
		}
		return scripted.Answer{Text: "done"}
	})
	c := b.ask(t, ann(), "", "hello").conversation
	isActive(t, b.last(), "ping", "pong")
	b.pass(9 * time.Minute)
	next = calls(do("ping_send", `{}`))
	b.ask(t, ann(), c, "again")
	isActive(t, b.last(), "ping", "pong")
	b.pass(time.Minute) // ten since pong was enabled, one since ping was used
	next = scripted.Answer{Text: "done"}
	said := b.ask(t, ann(), c, "and again")
	isActive(t, b.last(), "ping")
	if !slices.Contains(said.names, deputy.EventToolsetChanged) {
		t.Errorf("nothing tells that pong has run out: %v", said.names)
	}
	b.pass(9*time.Minute - time.Nanosecond)
	b.ask(t, ann(), c, "and again")
	isActive(t, b.last(), "ping")
	b.pass(time.Nanosecond)
	b.ask(t, ann(), c, "and again")
	isActive(t, b.last())
}

// TestToolsetsAreOfOneConversation, also after a restart.
func TestToolsetsAreOfOneConversation(t *testing.T) {
	t.Parallel()
	store := memory.New()
	same := func(c *deputy.Config) {
		pingAndPong()(c)
		c.Store = store
	}
	b := setup(t, same, calls(do("ping_send", `{}`)))
	c := b.ask(t, ann(), "", "hello").conversation
	isActive(t, b.last(), "ping")
	b.ask(t, ann(), "", "hello")
	isActive(t, b.last())
	b.ask(t, bob(), "", "hello")
	isActive(t, b.last())
	restarted := setup(t, same)
	restarted.ids = 1000
	restarted.ask(t, ann(), c, "hello again")
	isActive(t, restarted.last(), "ping")
}

func TestPreloading(t *testing.T) {
	t.Parallel()
	b := setup(t, pingAndPong())
	said := b.say(t, ann(), deputy.TurnInput{Text: "hello", Screen: &deputy.Screen{Table: "invoices"}})
	isActive(t, b.last(), "pong")
	if !slices.Equal(said.names[:2], []string{deputy.EventTurnStarted, deputy.EventToolsetChanged}) {
		t.Errorf("events %v", said.names)
	}
	b.pass(9 * time.Minute)
	b.say(t, ann(), deputy.TurnInput{Conversation: said.conversation, Text: "hello", Screen: &deputy.Screen{Table: "invoices"}})
	b.pass(9 * time.Minute) // since the second
	b.say(t, ann(), deputy.TurnInput{Conversation: said.conversation, Text: "hello", Screen: &deputy.Screen{Table: "customers"}})
	isActive(t, b.last(), "pong")
	for _, table := range []string{"salaries", "nothing", ""} { // what the person may not read is not on the screen
		b.say(t, ann(), deputy.TurnInput{Text: "hello", Screen: &deputy.Screen{Table: table}})
		isActive(t, b.last())
	}
}

// TestTheArrayOnlyGrows: a set that is used again keeps its place.
func TestTheArrayOnlyGrows(t *testing.T) {
	t.Parallel()
	next := scripted.Answer{Text: "done"}
	b := setupModel(t, pingAndPong(), func(_ *bench, r deputy.Request) scripted.Answer {
		if scripted.Step(r) == 1 {
			return next
		}
		return scripted.Answer{Text: "done"}
	})
	screen := &deputy.Screen{Table: "invoices"}
	c := b.ask(t, ann(), "", "hello").conversation
	for i := range 6 {
		in := deputy.TurnInput{Conversation: c, Text: "hello"}
		next = scripted.Answer{Text: "done"}
		if i%2 == 0 {
			in.Screen = screen // pong, each time anew
		}
		if i == 1 {
			next = calls(do("ping_send", `{}`))
		}
		if i > 2 {
			next = calls(do("ping_count", `{}`))
		}
		b.say(t, ann(), in)
		b.pass(4 * time.Minute)
	}
	rs := b.requests()
	for i := range rs[1:] {
		if before, now := specs(rs[i]), specs(rs[i+1]); !slices.Equal(now[:min(len(now), len(before))], before) {
			t.Errorf("request %d had %v, then %v", i, beyond(rs[i]), beyond(rs[i+1]))
		}
	}
	if got := beyond(b.last()); !slices.Equal(got, []string{"pong_hit", "ping_count", "ping_send"}) {
		t.Errorf("at the end %v", got)
	}
}

func TestThePersonSwitches(t *testing.T) {
	t.Parallel()
	b := setup(t, pingAndPong())
	door := b.door()
	c, err := door.NewConversation(t.Context(), ann(), deputy.Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	switched := func(who deputy.Caller, name string, active bool) ([]deputy.ToolsetState, error) {
		return door.SwitchToolset(t.Context(), who, c.ID, name, active)
	}
	got, err := switched(ann(), "ping", true)
	want := []deputy.ToolsetState{{Name: "ping", Description: "Tools of ping.", Active: true, Tools: []string{"ping_count", "ping_send"}},
		{Name: "pong", Description: "Tools of pong.", Tools: []string{"pong_hit"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	b.ask(t, ann(), c.ID, "hello")
	isActive(t, b.last(), "ping")
	if _, err := switched(ann(), "ping", false); err != nil {
		t.Fatal(err)
	}
	b.ask(t, ann(), c.ID, "hello")
	isActive(t, b.last())
	_, err = switched(ann(), "nothing", true)
	code(t, err, deputy.NotFound)
	_, err = switched(ann(), "records", true)
	code(t, err, deputy.NotFound)
	_, err = switched(bob(), "ping", true)
	code(t, err, deputy.NotFound)
	_, err = door.Toolsets(t.Context(), bob(), c.ID)
	code(t, err, deputy.NotFound)
	none, err := door.Toolsets(t.Context(), bob(), "")
	if err != nil || len(none) != 2 || none[0].Active || none[1].Active {
		t.Errorf("without a conversation: %v, %v", none, err)
	}
}

// TestAnExcludedToolset: who is not offered any tool of it never learns that it exists.
func TestAnExcludedToolset(t *testing.T) {
	t.Parallel()
	without := func(tools ...string) func(*deputy.Config) {
		return func(c *deputy.Config) {
			pingAndPong()(c)
			role := c.Policy.Roles["support"]
			role.Tools = tools
			c.Policy.Roles["support"] = role
		}
	}
	core := []string{"query_records", "list_tables"}
	b := setup(t, without(append(core, "pong_*")...), calls(do("enable_toolset", `{"names":["ping"]}`), do("ping_send", `{}`), do("disable_toolset", `{"names":["ping"]}`)))
	said := b.say(t, ann(), deputy.TurnInput{Text: "hello"})
	if got := strings.Join(b.results(), "|"); got != "Toolset 'ping' not found.|Error: Unknown tool: ping_send|Toolset 'ping' not found." {
		t.Errorf("answers %s", got)
	}
	if slices.Contains(said.names, deputy.EventToolsetChanged) {
		t.Errorf("an event tells of it: %v", said.names)
	}
	for _, r := range b.requests() {
		r.Messages = nil // what the model itself said
		if raw, _ := json.Marshal(r); strings.Contains(string(raw), "ping") {
			t.Errorf("a request tells of it: %s", raw)
		}
	}
	list, err := b.door().Toolsets(t.Context(), ann(), said.conversation)
	if err != nil || len(list) != 1 || list[0].Name != "pong" {
		t.Errorf("the API tells of it: %v %v", list, err)
	}
	_, err = b.door().SwitchToolset(t.Context(), ann(), said.conversation, "ping", true)
	_, missing := b.door().SwitchToolset(t.Context(), ann(), said.conversation, "nothing", true)
	if err == nil || missing == nil || err.Error() != missing.Error() {
		t.Errorf("%v, but %v for what is not there", err, missing)
	}

	b = setup(t, without(core...), calls(do("enable_toolset", `{"names":["ping"]}`)))
	b.ask(t, ann(), "", "hello")
	r := b.last()
	if r.Toolsets != "" || slices.Contains(specs(r), "enable_toolset") || b.results()[0] != "Error: Unknown tool: enable_toolset" {
		t.Errorf("none is offered, but %q, %v, %s", r.Toolsets, specs(r), b.results()[0])
	}
}

// TestSetsThatLoseTheirPerson: a set that was active when a role was lost is not told of any more.
func TestSetsThatLoseTheirPerson(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *deputy.Config) {
		pingAndPong()(c)
		c.Policy.Roles["pinger"] = deputy.Role{Tools: []string{"ping_*"}}
		role := c.Policy.Roles["support"]
		role.Tools = []string{"query_records", "pong_*"}
		c.Policy.Roles["support"] = role
	}, calls(do("ping_send", `{}`)))
	both := ann()
	both.Roles = append(both.Roles, "pinger")
	c := b.ask(t, both, "", "hello").conversation
	isActive(t, b.last(), "ping")
	b.ask(t, ann(), c, "hello")
	if r := b.last(); len(beyond(r)) != 0 || strings.Contains(r.Toolsets, "ping") {
		t.Errorf("still told of: %s %v", r.Toolsets, specs(r))
	}
}

func TestToolsetsThatStopTheStart(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*deputy.Config){
		"two tools are named ping_send": sets(pings("ping", "send"), pings("ping", "send")),
		"each that is not of the core":  sets(pings("", "send")),
		"there is no toolset nothing":   func(c *deputy.Config) { c.Core = []string{"records", "nothing"} },
		"two tools are named enable_toolset": sets(deputy.Toolset{Name: "x", Tools: []deputy.Tool{deputy.ReadTool(deputy.Definition{Name: "enable_toolset", NoHost: true},
			func(context.Context, *deputy.Scope, struct{}) (deputy.Result, error) { return deputy.Result{}, nil })}}),
	} {
		cfg := deputy.Config{Host: shop(), Store: memory.New(), Models: []deputy.Model{scripted.New(nil)}, Policy: policy(), Toolsets: tools()}
		change(&cfg)
		if a, err := deputy.New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
			if err == nil {
				_ = a.Close()
			}
		}
	}
}
