package deputy_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
)

func TestManyAndLongToolsets(t *testing.T) {
	t.Parallel()
	var many []deputy.Toolset
	for i := range 60 {
		many = append(many, pings(fmt.Sprintf("set%02d", i), "send"))
	}
	many[0].Description = "line\none\u202e " + strings.Repeat("ö", 500)
	var log bytes.Buffer
	b := setup(t, func(c *deputy.Config) {
		sets(many...)(c)
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	}, calls(do("set59_send", `{}`)))
	b.ask(t, ann(), "", "hello")
	rs := b.requests()
	if n := strings.Count(rs[0].Toolsets, "\nset"); n != 50 {
		t.Errorf("%d sets are told of", n)
	}
	line, _, _ := strings.Cut(rs[0].Toolsets[strings.Index(rs[0].Toolsets, "set00 — ")+len("set00 — "):], "\n")
	if len([]rune(line)) != 400 || !strings.HasPrefix(line, "line one öö") || !strings.HasSuffix(line, "ö…") {
		t.Errorf("a long description is told as %q", line)
	}
	if got := b.results()[0]; !strings.Contains(got, "set59_send") {
		t.Errorf("what is not told of cannot be used: %s", got)
	}
	if text := log.String(); !strings.Contains(text, "set00") || !strings.Contains(text, "set50, set51") {
		t.Errorf("the operator reads: %s", text)
	}
}

// deferring is a model that takes deferred tools.
type deferring struct{ deputy.Model }

func (d deferring) Info() deputy.ModelInfo {
	i := d.Model.Info()
	i.Deferred = true
	return i
}

// TestNativeDeferral: nothing before the history ever changes; results reveal, and from outside all is the same.
func TestNativeDeferral(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *deputy.Config) {
		pingAndPong()(c)
		c.Models = []deputy.Model{deferring{c.Models[0]}}
	}, calls(do("enable_toolset", `{"names":["ping"]}`)), calls(do("ping_send", `{}`)), scripted.Answer{Text: "done"}, calls(do("disable_toolset", `{"names":["ping"]}`)))
	said := b.say(t, ann(), deputy.TurnInput{Text: "hello", Screen: &deputy.Screen{Table: "invoices"}}) // opens with pong
	if !slices.Contains(said.names, deputy.EventToolsetChanged) {
		t.Errorf("events %v", said.names)
	}
	b.pass(20 * time.Minute) // all have run out
	b.ask(t, ann(), said.conversation, "again")
	rs := b.requests()
	deferred := map[string]bool{}
	for _, s := range rs[0].Tools {
		deferred[s.Name] = s.Deferred
	}
	if !deferred["ping_send"] || !deferred["ping_count"] || deferred["pong_hit"] || deferred["query_records"] || deferred["enable_toolset"] {
		t.Errorf("deferred are %v", deferred)
	}
	isActive(t, rs[0], "pong")
	for i, r := range rs {
		if r.System != rs[0].System || r.Toolsets != rs[0].Toolsets || !reflect.DeepEqual(r.Tools, rs[0].Tools) {
			t.Errorf("request %d differs before its history", i)
		}
	}
	var reveals [][]string
	for _, m := range b.last().Messages {
		for _, p := range m.Parts {
			if p.Result != nil {
				reveals = append(reveals, p.Result.Reveals)
			}
		}
	}
	if !reflect.DeepEqual(reveals, [][]string{{"ping_count", "ping_send"}, nil, nil}) {
		t.Errorf("results reveal %v", reveals)
	}
	list, err := b.door().Toolsets(t.Context(), ann(), said.conversation)
	if err != nil || list[0].Active || list[1].Active {
		t.Errorf("%v %v", list, err)
	}
}
