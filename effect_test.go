package deputy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
)

// outbox is a place outside the host's tables: letters that are sent. fail is what becomes of the next one.
type outbox struct {
	mu    sync.Mutex
	sent  []string // key, credential, text
	fail  func(ctx context.Context, text string) error
	draft func(*deputy.Draft)
}

type letter struct {
	Text string `json:"text"`
}

func (o *outbox) toolset() deputy.Toolset {
	tool := deputy.EffectTool(deputy.Definition{Name: "send_letter", Label: "Proposed a letter", Description: "x", Operation: "POST /letters"}, o.propose, o.send)
	return deputy.Toolset{Name: "letters", Description: "Letters.", Tools: []deputy.Tool{tool}}
}

func (o *outbox) propose(_ context.Context, s *deputy.Scope, in letter) (deputy.Draft, error) {
	if s.Credential() != "" {
		return deputy.Draft{}, errors.New("a credential while proposing")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	d := deputy.Draft{Summary: "Send a letter", Prepared: fmt.Appendf(nil, `{ "number" : %d }`, len(o.sent)),
		Lines: []deputy.Line{{Table: "letters", Verb: deputy.Create, Field: "text", Label: "Text", After: &in.Text, Source: s.Source(in.Text)}}}
	if o.draft != nil {
		o.draft(&d)
	}
	return d, nil
}

func (o *outbox) send(ctx context.Context, e *deputy.Effect, in letter) error {
	if _, err := e.View().Table(ctx, "customers"); err != nil {
		return err
	}
	o.mu.Lock()
	fail := o.fail
	o.mu.Unlock()
	if fail != nil {
		if err := fail(ctx, in.Text); err != nil {
			return err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, strings.Join([]string{e.Key(), e.Person().ID, e.Person().Credential, e.Credential(), string(e.Prepared()), in.Text,
		e.Clock().Now.Format(time.TimeOnly), string(e.Channel())}, " "))
	return nil
}

func (o *outbox) letters() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.sent)
}

func (o *outbox) fails(f func(context.Context, string) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fail = f
}

func (o *outbox) added(c *deputy.Config) { c.Toolsets = append(c.Toolsets, o.toolset()) }

const hello = `{"text":"Hello Acme"}`

// fates are what became of proposals, in order.
func fates(ps []deputy.Proposal) string {
	var out []string
	for _, p := range ps {
		out = append(out, string(p.State))
	}
	return strings.Join(out, " ")
}

func outcomesOf(b *bench, t *testing.T, tool string) (out []string) {
	for _, e := range slices.Backward(b.log(t)) {
		if e.Tool == tool {
			out = append(out, string(e.Phase)+" "+string(e.Outcome))
		}
	}
	return out
}

func TestEffect(t *testing.T) {
	t.Parallel()
	var o outbox
	b, ps := proposed(t, o.added, do("send_letter", `{"text":"+47 555"}`))
	p := ps[0]
	if p.Summary != "Send a letter" || p.Table != "" || len(p.Changes) != 0 || p.Lines[0].Source != deputy.SourcePerson || p.Warnings != nil || string(p.Prepared) != `{ "number" : 0 }` {
		t.Errorf("%+v", p)
	}
	if o.letters() != nil {
		t.Fatal("a proposal has sent")
	}
	who := ann()
	who.Credential = "hers"
	d, err := b.door().Confirm(t.Context(), who, p.ID, shown(p))
	if err != nil || fates(d.Proposals) != "done" || d.Proposals[0].Outcome != "Done." {
		t.Fatal(d, err)
	}
	if got, want := o.letters(), p.ID+` ann  hers { "number" : 0 } +47 555 05:06:07 chat`; len(got) != 1 || got[0] != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	_, err = b.door().Confirm(t.Context(), who, p.ID, shown(p))
	code(t, err, deputy.AlreadyDecided)
	if got := outcomesOf(b, t, "send_letter"); len(o.letters()) != 1 || !slices.Equal(got, []string{"turn proposed", "confirm confirming", "confirm confirmed"}) || applied(b) > 0 {
		t.Error(o.letters(), got)
	}
}

// TestEffectIsShown: what a tool says of its effect is bounded, whole, and what is hashed.
func TestEffectIsShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70<<10)
	for name, c := range map[string]struct {
		change func(*deputy.Draft)
		want   string // in the summary, the label or the warning; else in the refusal
	}{
		"hidden characters":      {func(d *deputy.Draft) { d.Summary = "Send\u202e it\n" }, "Send[U+202E] it[U+000A]"},
		"in a label too":         {func(d *deputy.Draft) { d.Lines[0].Label = "To\u200bm" }, "To[U+200B]m"},
		"in a warning":           {func(d *deputy.Draft) { d.Warnings = []string{"It\x00 goes"} }, "It[U+0000] goes"},
		"a value of the model's": {func(*deputy.Draft) {}, "Text: “Hello Acme” stands neither in your messages nor in the data."},
		"a long summary":         {func(d *deputy.Draft) { d.Summary = strings.Repeat("y", 2000) }, strings.Repeat("y", 1024) + "…"},
		"no summary":             {func(d *deputy.Draft) { d.Summary = "" }, "Something went wrong"},
		"no lines":               {func(d *deputy.Draft) { d.Lines = nil }, "Something went wrong"},
		"changes": {func(d *deputy.Draft) {
			d.Changes = []deputy.Change{{Verb: deputy.Delete, Table: "customers", Key: []string{"1"}}}
		}, "Something went wrong"},
		"another verb":             {func(d *deputy.Draft) { d.Lines[0].Verb = "send" }, "Something went wrong"},
		"a source of its own":      {func(d *deputy.Draft) { d.Lines[0].Source = "trust me" }, "Something went wrong"},
		"a value too long to show": {func(d *deputy.Draft) { d.Lines[0].After = &long }, "longer than 65536 bytes"},
		"more than can be shown":   {func(d *deputy.Draft) { d.Lines = slices.Repeat(d.Lines, 201) }, "more than can be shown"},
		"too much":                 {func(d *deputy.Draft) { d.Prepared = json.RawMessage(`"` + strings.Repeat(long, 4) + `"`) }, "longer than 262144 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := outbox{draft: c.change}
			b := setup(t, o.added, calls(do("send_letter", hello)), scripted.Answer{Text: "done"})
			b.ask(t, boss(), "", "x")
			ps := b.proposals(t, boss())
			if len(ps) == 0 {
				if got := b.results()[0]; !strings.Contains(got, c.want) {
					t.Errorf("%s", got)
				}
				return
			}
			said := strings.Join(append(ps[0].Warnings, ps[0].Summary, ps[0].Lines[0].Label), "\n")
			if !strings.Contains(said, c.want) {
				t.Errorf("%q", said)
			}
			if _, err := b.door().Confirm(t.Context(), boss(), ps[0].ID, shown(ps[0])); err != nil || len(o.letters()) != 1 {
				t.Error(err)
			}
		})
	}
}

// TestEffectFails: what an effect answers is what is known of it.
func TestEffectFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail    func(context.Context, string) error
		state   deputy.State
		outcome string
	}{
		"refused": {func(context.Context, string) error { return deputy.Errorf(deputy.Conflict, "The box is full.") }, deputy.Failed, "Nothing was written: The box is full."},
		"broken":  {func(context.Context, string) error { return errors.New("the line is cut") }, deputy.Unknown, "It was sent, but no answer came. Look whether it was done before you try again."},
		"panics":  {func(context.Context, string) error { panic("oh") }, deputy.Unknown, "It was sent, but no answer came. Look whether it was done before you try again."},
		"too slow": {func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }, deputy.Unknown,
			"It was sent, but no answer came. Look whether it was done before you try again."},
		"wrapped": {func(context.Context, string) error {
			return fmt.Errorf("letters: %w", deputy.Errorf(deputy.Unavailable, "The post is closed."))
		}, deputy.Failed, "Nothing was written: The post is closed."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := outbox{fail: c.fail}
			b, ps := proposed(t, func(cfg *deputy.Config) { o.added(cfg); cfg.Limits.ToolTimeout = 50 * time.Millisecond }, do("send_letter", hello))
			d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
			if err != nil || d.Proposals[0].State != c.state || d.Proposals[0].Outcome != c.outcome {
				t.Errorf("%s %q %v", fates(d.Proposals), d.Proposals[0].Outcome, err)
			}
			o.fails(nil)
			b.pass(2 * time.Hour) // the doubt is settled by nothing
			again, err := b.door().Proposal(t.Context(), ann(), ps[0].ID)
			if err != nil || again[0].State != c.state || len(o.letters()) != 0 {
				t.Errorf("later: %s %v", fates(again), err)
			}
		})
	}
}

// TestEffectStale: an effect that finds what was shown changed writes nothing, and is proposed again.
func TestEffectStale(t *testing.T) {
	t.Parallel()
	o := outbox{fail: func(context.Context, string) error { return deputy.Errorf(deputy.Stale, "Another letter went out.") }}
	b, ps := proposed(t, o.added, do("send_letter", hello))
	o.mu.Lock()
	o.sent = []string{"another"}
	o.mu.Unlock()
	d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	code(t, err, deputy.Stale)
	if len(d.Renewed) != 1 || string(d.Renewed[0].Prepared) != `{ "number" : 1 }` || d.Renewed[0].Hash == ps[0].Hash || len(o.letters()) != 1 {
		t.Fatal(d)
	}
	o.fails(nil)
	if d, err := b.door().Confirm(t.Context(), ann(), d.Renewed[0].ID, shown(d.Renewed...)); err != nil || fates(d.Proposals) != "done" || len(o.letters()) != 2 {
		t.Error(d, err)
	}
}

// TestEffectNeedsItsTool: a role that has lost the tool, and a tool that is another one now, write nothing.
func TestEffectNeedsItsTool(t *testing.T) {
	t.Parallel()
	var o outbox
	b, ps := proposed(t, func(c *deputy.Config) {
		o.added(c)
		c.Policy.Roles["reader"] = deputy.Role{Tools: []string{"query_records"}, Tables: c.Policy.Roles["manager"].Tables}
	}, do("send_letter", hello))
	reader := caller("ann", "reader")
	d, err := b.door().Confirm(t.Context(), reader, ps[0].ID, shown(ps[0]))
	if err != nil || fates(d.Proposals) != "failed" || d.Proposals[0].Outcome != "Not a write tool: send_letter" || o.letters() != nil {
		t.Error(d, err)
	}
	plain := deputy.ProposeTool(deputy.Definition{Name: "send_letter", Label: "x", Description: "x", Operation: "x"},
		func(context.Context, *deputy.Scope, letter) (deputy.Draft, error) { return deputy.Draft{}, nil })
	b2, ps := proposed(t, o.added, do("send_letter", hello))
	a, err := deputy.New(t.Context(), deputy.Config{Host: b2.host, Models: []deputy.Model{scripted.New(func(deputy.Request) scripted.Answer { return scripted.Answer{} })},
		Store: b2.store, Policy: policy(), Clock: b2.clock, NewID: b2.id, Toolsets: []deputy.Toolset{{Name: "other", Tools: []deputy.Tool{plain}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Stop)
	d, err = a.Door(deputy.Chat).Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	if err != nil || fates(d.Proposals) != "failed" || o.letters() != nil {
		t.Error(d, err)
	}
}

// mixed is a customer, a letter, an invoice of that customer, and another letter.
func mixed() []scripted.Call {
	return []scripted.Call{
		do("create_record", `{"table":"customers","values":[{"field":"name","value":"Delta"}]}`), do("send_letter", `{"text":"one"}`),
		do("create_record", `{"table":"invoices","values":[{"field":"customer_id","value":"new:c1"},{"field":"total","value":"7.00"}]}`), do("update_record", phone),
		do("send_letter", `{"text":"two"}`),
	}
}

// TestGroupWithEffects runs in order: what stands together is applied at once, and later changes build on earlier ones.
func TestGroupWithEffects(t *testing.T) {
	t.Parallel()
	var o outbox
	b, ps := grouped(t, o.added, mixed()...)
	b.host.Forget()
	if d := b.confirm(t, boss(), ps); fates(d.Proposals) != "done done done done done" {
		t.Fatal(d)
	}
	customer, invoice := last(b.host.Rows("customers")), last(b.host.Rows("invoices"))
	if customer["name"] != "Delta" || invoice["customer_id"] != customer["id"] || phoneOf(b, 0) != "+47 555" || len(o.letters()) != 2 || applied(b) != 2 {
		t.Error(customer, invoice, o.letters(), applied(b))
	}
	keys := map[string]bool{}
	for _, a := range b.host.Asked() {
		if a.Method == hosttest.Apply {
			keys[a.Key] = true
		}
	}
	if len(keys) != 2 {
		t.Errorf("two writes under the keys %v", keys)
	}
}

// TestGroupWithEffectsStops at the first that is not done, and says of each what became of it.
func TestGroupWithEffectsStops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(*outbox, *bench)
		fates   string
		letters int
	}{
		"the first letter is refused": {func(o *outbox, _ *bench) {
			o.fails(func(context.Context, string) error { return deputy.Errorf(deputy.Conflict, "Full.") })
		}, "done failed failed failed failed", 0},
		"the first letter has no answer": {func(o *outbox, _ *bench) { o.fails(func(context.Context, string) error { return errors.New("cut") }) }, "done unknown failed failed failed", 0},
		"the second letter is stale": {func(o *outbox, _ *bench) {
			o.fails(func(_ context.Context, text string) error {
				if text == "two" {
					return deputy.Errorf(deputy.Stale, "Another went out.")
				}
				return nil
			})
		}, "done done done done failed", 1},
		"a later change is stale": {func(o *outbox, b *bench) {
			o.fails(func(context.Context, string) error { elsewhere(b, "+47 99"); return nil })
		}, "done done failed failed failed", 1},
		"the host gives no answer": {func(o *outbox, b *bench) {
			o.fails(func(context.Context, string) error { b.host.LoseAnswer(errors.New("cut")); return nil })
		}, "done done unknown unknown failed", 1},
		"the host refuses": {func(o *outbox, b *bench) {
			o.fails(func(context.Context, string) error {
				b.host.Fail(hosttest.Apply, deputy.Errorf(deputy.Unavailable, "It is closed."))
				return nil
			})
		}, "done done failed failed failed", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o outbox
			b, ps := grouped(t, o.added, mixed()...)
			c.prepare(&o, b)
			d := b.confirm(t, boss(), ps)
			if fates(d.Proposals) != c.fates || len(o.letters()) != c.letters || d.Renewed != nil {
				t.Errorf("%s, letters %q", fates(d.Proposals), o.letters())
			}
			want := "It was not attempted: what goes before it in the group was not done."
			if strings.HasPrefix(c.fates, "done done done done") {
				want = "Another went out."
			}
			if got := d.Proposals[4].Outcome; got != want {
				t.Errorf("the last: %q", got)
			}
			if customer := last(b.host.Rows("customers")); customer["name"] != "Delta" {
				t.Error("what was done before is gone")
			}
		})
	}
}

// TestGroupWithEffectsIsRenewed where nothing of it was done yet.
func TestGroupWithEffectsIsRenewed(t *testing.T) {
	t.Parallel()
	var o outbox
	b, ps := grouped(t, o.added, do("update_record", phone), do("send_letter", hello))
	elsewhere(b, "+47 99")
	d, err := b.door().Confirm(t.Context(), boss(), ps[0].Group, shown(ps...))
	code(t, err, deputy.Stale)
	if len(d.Renewed) != 2 || fates(d.Proposals) != "stale stale" || o.letters() != nil || *d.Renewed[0].Lines[0].Before != "+47 99" {
		t.Fatal(d)
	}
	if d := b.confirm(t, boss(), d.Renewed); fates(d.Proposals) != "done done" || len(o.letters()) != 1 {
		t.Error(d, o.letters())
	}
}

// TestEffectManyConfirms: of many clicks at once, one sends.
func TestEffectManyConfirms(t *testing.T) {
	t.Parallel()
	var o outbox
	b, ps := proposed(t, o.added, do("send_letter", hello))
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if _, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0])); err != nil && deputy.CodeOf(err) != deputy.AlreadyDecided {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := o.letters(); len(got) != 1 {
		t.Error(got)
	}
}

// dying is a store of proposals whose process ends before an outcome is stored.
type dying struct {
	deputy.Proposals
	mu   sync.Mutex
	dead bool
}

func (d *dying) Settle(ctx context.Context, as deputy.Person, ps, renewed []deputy.Proposal, rows ...deputy.Entry) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return errors.New("the process is gone")
	}
	return d.Proposals.Settle(ctx, as, ps, renewed, rows...)
}

func (d *dying) set(dead bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = dead
}

// TestEffectKilled: a process that ends between an effect and its outcome leaves a doubt, which nobody settles by a guess and nobody tries again.
// What it had not come to is known not to be done, and what can be read is.
func TestEffectKilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		calls []scripted.Call
		at    string // the letter at which it dies
		want  string
		sent  int
	}{
		"one":                   {[]scripted.Call{do("send_letter", `{"text":"one"}`)}, "", "unknown", 1},
		"read, sent, never run": {[]scripted.Call{do("update_record", phone), do("send_letter", `{"text":"one"}`), do("send_letter", `{"text":"two"}`)}, "one", "done unknown failed", 0},
		"all done":              {[]scripted.Call{do("send_letter", `{"text":"one"}`), do("update_record", phone)}, "", "unknown done", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o outbox
			store := &dying{}
			b, ps := grouped(t, func(cfg *deputy.Config) {
				o.added(cfg)
				store.Proposals, cfg.Store.Proposals = cfg.Store.Proposals, store
			}, c.calls...)
			store.set(true)
			o.fails(func(_ context.Context, text string) error {
				if text == c.at { // as a dead process runs nothing after it
					panic("killed")
				}
				return nil
			})
			_, err := b.door().Confirm(t.Context(), boss(), ps[0].Group, shown(ps...))
			if err == nil {
				t.Fatal("it was told")
			}
			store.set(false)
			o.fails(nil)
			now := func() []deputy.Proposal {
				t.Helper()
				ps, err := b.door().Proposal(t.Context(), boss(), ps[0].Group)
				if err != nil {
					t.Fatal(err)
				}
				return ps
			}
			if got := fates(now()); strings.Trim(strings.ReplaceAll(got, "confirming", ""), " ") != "" {
				t.Errorf("while it may be under way: %s", got)
			}
			b.pass(time.Hour)
			if got := now(); fates(got) != c.want || len(o.letters()) != c.sent {
				t.Errorf("%s, letters %q", fates(got), o.letters())
			}
			_, err = b.door().Confirm(t.Context(), boss(), ps[0].Group, shown(ps...))
			code(t, err, deputy.AlreadyDecided)
		})
	}
}

// TestEffectWithoutLog: what cannot be put on record is not done.
func TestEffectWithoutLog(t *testing.T) {
	t.Parallel()
	var o outbox
	log := &fullLog{}
	b, ps := proposed(t, func(c *deputy.Config) { o.added(c); log.Log, c.Store.Log = c.Store.Log, log }, do("send_letter", hello))
	log.set(true)
	d, _ := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	if o.letters() != nil || len(d.Proposals) > 0 && d.Proposals[0].State != deputy.Failed {
		t.Error(d, o.letters())
	}
}

type fullLog struct {
	deputy.Log
	mu   sync.Mutex
	full bool
}

func (l *fullLog) set(full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = full
}

func (l *fullLog) Append(ctx context.Context, rows ...deputy.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.full {
		return errors.New("disk full")
	}
	return l.Log.Append(ctx, rows...)
}
