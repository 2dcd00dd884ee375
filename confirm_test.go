package deputy_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
)

const phone = `{"table":"customers","id":"1","values":[{"field":"phone","value":"+47 555"}]}`

// proposed is a bench on which ann has one proposal.
func proposed(t *testing.T, change func(*deputy.Config), cs ...scripted.Call) (*bench, []deputy.Proposal) {
	t.Helper()
	if cs == nil {
		cs = []scripted.Call{do("update_record", phone)}
	}
	b := setup(t, change, calls(cs...), scripted.Answer{Text: "proposed"})
	if got := b.ask(t, ann(), "", "set the phone of customer 1 to +47 555"); got.end.Reason != deputy.Answered {
		t.Fatal(got.end)
	}
	ps := b.proposals(t, ann())
	if len(ps) != len(cs) {
		t.Fatalf("%d proposals: %v", len(ps), b.results())
	}
	b.host.Forget()
	return b, ps
}

func applied(b *bench) (n int) {
	for _, a := range b.host.Asked() {
		if a.Method == hosttest.Apply {
			n++
		}
	}
	return n
}

func phoneOf(b *bench, i int) query.Value { return b.host.Rows("customers")[i]["phone"] }

func TestConfirm(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	p := ps[0]
	if p.Summary != "Update customer 1 (Acme): phone" || len(p.Lines) != 1 || *p.Lines[0].Before != "+47 1" || *p.Lines[0].After != "+47 555" ||
		p.Lines[0].Source != deputy.SourcePerson || len(p.Warnings) != 0 {
		t.Errorf("%+v", p)
	}
	if phoneOf(b, 0) != "+47 1" {
		t.Error("a proposal has written")
	}
	_, err := b.door().Confirm(t.Context(), bob(), p.ID, shown(p))
	code(t, err, deputy.NotFound)
	noConfirm := ann()
	noConfirm.Confirm = false
	_, err = b.door().Confirm(t.Context(), noConfirm, p.ID, shown(p))
	code(t, err, deputy.PermissionDenied)
	_, err = b.door().Confirm(t.Context(), ann(), p.ID, []deputy.Shown{{ID: p.ID, Hash: "0"}})
	code(t, err, deputy.Conflict)
	if b.host.Asked() != nil || b.proposals(t, ann())[0].State != deputy.Pending {
		t.Error("refused confirmations have asked the host or claimed")
	}
	d, err := b.door().Confirm(t.Context(), ann(), p.ID, shown(p))
	if err != nil || d.Proposals[0].State != deputy.Done || phoneOf(b, 0) != "+47 555" {
		t.Fatal(err, d, phoneOf(b, 0))
	}
	_, err = b.door().Confirm(t.Context(), ann(), p.ID, shown(p))
	code(t, err, deputy.AlreadyDecided)
	_, err = b.door().Reject(t.Context(), ann(), p.ID)
	code(t, err, deputy.AlreadyDecided)
	var outcomes []string
	for _, e := range b.log(t) {
		outcomes = append(outcomes, string(e.Phase)+" "+string(e.Outcome))
	}
	if got := strings.Join(outcomes, ", "); got != "confirm confirmed, confirm confirming, turn proposed" {
		t.Error(got)
	}
}

func TestConfirmedIsTold(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	if _, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0])); err != nil {
		t.Fatal(err)
	}
	for range 2 { // told once, not with every turn
		b.ask(t, ann(), ps[0].Conversation, "and now?")
	}
	rs := b.requests()
	var notes []string
	for _, m := range rs[len(rs)-1].Messages {
		if m.Role == deputy.FromNote {
			notes = append(notes, m.Text())
		}
	}
	if len(notes) != 1 || !strings.Contains(notes[0], `"state":"done"`) {
		t.Error(notes)
	}
}

func TestHundredConfirms(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	var done, decided atomic.Int64
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			_, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
			switch {
			case err == nil:
				done.Add(1)
			case deputy.CodeOf(err) == deputy.AlreadyDecided:
				decided.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if done.Load() != 1 || decided.Load() != 99 || applied(b) != 1 {
		t.Errorf("%d done, %d decided, %d writes", done.Load(), decided.Load(), applied(b))
	}
}

func elsewhere(b *bench, phone string) {
	b.host.Change("customers", func(rs []query.Row) []query.Row {
		rs[0]["phone"] = phone
		return rs
	})
}

func TestStale(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	elsewhere(b, "+47 99")
	d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	code(t, err, deputy.Stale)
	if phoneOf(b, 0) != "+47 99" || d.Proposals[0].State != deputy.Outdated || len(d.Renewed) != 1 {
		t.Fatal(phoneOf(b, 0), d)
	}
	next := b.proposals(t, ann())
	if len(next) != 1 || next[0].ID != d.Renewed[0].ID || *next[0].Lines[0].Before != "+47 99" || d.Proposals[0].Renewed != next[0].ID {
		t.Fatal(next)
	}
	if _, err := b.door().Confirm(t.Context(), ann(), next[0].ID, shown(next[0])); err != nil || phoneOf(b, 0) != "+47 555" {
		t.Error(err, phoneOf(b, 0))
	}
}

func TestStaleThatCannotBeRenewed(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	b.host.Change("customers", func(rs []query.Row) []query.Row { return rs[1:] })
	d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	code(t, err, deputy.Stale)
	if len(d.Renewed) != 0 || !strings.Contains(d.Proposals[0].Outcome, "No such record: customers 1") || len(b.proposals(t, ann())) != 0 {
		t.Error(d)
	}
}

func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	b.host.LoseAnswer(errors.New("connection reset"))
	d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	if err != nil || d.Proposals[0].State != deputy.Unknown {
		t.Fatal(err, d)
	}
	_, err = b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	code(t, err, deputy.AlreadyDecided)
	if applied(b) != 1 {
		t.Error("sent twice")
	}
}

func TestUnreachableHostWritesNothing(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	b.host.Fail(hosttest.Apply, deputy.Errorf(deputy.Unavailable, "The database is busy."))
	d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	if err != nil || d.Proposals[0].State != deputy.Failed || d.Proposals[0].Outcome != "Nothing was written: The database is busy." || phoneOf(b, 0) != "+47 1" {
		t.Error(err, d.Proposals)
	}
}

func TestExpired(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	b.pass(24 * time.Hour)
	_, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	code(t, err, deputy.ExpiredCode)
	got, err := b.door().Proposal(t.Context(), ann(), ps[0].ID)
	if err != nil || got[0].State != deputy.Expired || applied(b) != 0 || b.log(t)[0].Outcome != "expired" {
		t.Error(err, got, b.log(t)[0])
	}
}

// TestDoubt settles confirmations that got no answer, or whose process is gone, by reading the records again: as their owner, and only where
// that tells.
func TestDoubt(t *testing.T) {
	t.Parallel()
	create := do("create_record", `{"table":"customers","values":[{"field":"name","value":"New"}]}`)
	for name, c := range map[string]struct {
		call  scripted.Call
		lose  bool // the write is made, its answer lost; else the process ends before it, its row written
		after func(*bench)
		want  deputy.State
	}{
		"made":            {do("update_record", phone), true, nil, deputy.Done},
		"not made":        {do("update_record", phone), false, nil, deputy.Failed},
		"changed since":   {do("update_record", phone), false, func(b *bench) { elsewhere(b, "+47 99") }, deputy.Unknown},
		"made, over":      {do("update_record", phone), true, func(b *bench) { elsewhere(b, "+47 99") }, deputy.Unknown},
		"delete made":     {do("delete_record", `{"table":"notes","id":"101"}`), true, nil, deputy.Done},
		"delete not made": {do("delete_record", `{"table":"notes","id":"101"}`), false, nil, deputy.Failed},
		"delete not seen": {do("delete_record", `{"table":"notes","id":"101"}`), false, func(b *bench) { // there, but not for her any more
			b.host.Change("notes", func(rs []query.Row) []query.Row {
				for i := range rs {
					rs[i]["private"] = true
				}
				return rs
			})
		}, deputy.Unknown},
		"create made":     {create, true, nil, deputy.Unknown},
		"create not made": {create, false, nil, deputy.Unknown},
		"only claimed":    {create, false, nil, deputy.Failed},
	} {
		b, ps := proposed(t, func(cfg *deputy.Config) {
			r := cfg.Policy.Roles["support"]
			r.Tables["customers"] = deputy.Access{Read: all(), Create: all(), Update: all()}
			cfg.Policy.Roles["support"] = r
		}, c.call)
		if c.lose {
			b.host.LoseAnswer(errors.New("connection reset"))
			if d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0])); err != nil || d.Proposals[0].State != deputy.Unknown {
				t.Fatal(name, err, d)
			}
		} else if err := b.store.Proposals.Claim(t.Context(), ann().Person, deputy.Claim{Shown: shown(ps[0]), Now: b.clock(), Until: b.clock().Add(time.Minute)}); err != nil {
			t.Fatal(err)
		} else if name != "only claimed" {
			row := deputy.Entry{ID: "tcl_sent", Person: ann().Person, Turn: ps[0].Turn, Phase: deputy.AtDecision, Proposal: ps[0].ID, Outcome: deputy.InConfirm}
			if err := b.store.Log.Append(t.Context(), row); err != nil {
				t.Fatal(err)
			}
		}
		if c.after != nil {
			c.after(b)
		}
		state := func() deputy.State {
			got, err := b.door().Proposal(t.Context(), ann(), ps[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			return got[0].State
		}
		if s := state(); s != deputy.Confirming && s != deputy.Unknown {
			t.Errorf("%s: settled as %s while the write may be under way", name, s)
		}
		b.pass(2 * time.Minute)
		if s := state(); s != c.want || state() != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
		if writes := applied(b); c.lose && writes != 1 || !c.lose && writes != 0 {
			t.Errorf("%s: %d writes", name, writes)
		}
	}
}

// TestDoubtOverAVersionThatStandsStill: the field that is declared as a table's version is one that nothing moves on; what the record says counts.
func TestDoubtOverAVersionThatStandsStill(t *testing.T) {
	t.Parallel()
	things := query.Table{Name: "things", Label: "Things", Key: []string{"id"}, Version: "rev", Fields: []query.Field{field("id", "Id", query.Int), field("name", "Name", query.String), field("rev", "Rev", query.Int)}}
	for made, want := range map[bool]deputy.State{true: deputy.Done, false: deputy.Failed} {
		host := hosttest.New([]query.Table{things}, map[string][]query.Row{"things": {{"id": int64(1), "name": "a", "rev": int64(7)}}})
		b := setup(t, func(c *deputy.Config) {
			c.Host, c.Policy = host, deputy.Policy{Roles: map[string]deputy.Role{"manager": c.Policy.Roles["manager"]}}
		}, calls(update("things", "1", "name", `"b"`)), scripted.Answer{Text: "proposed"})
		b.ask(t, boss(), "", "x")
		ps := b.proposals(t, boss())
		host.LoseAnswer(errors.New("connection reset"))
		if d, err := b.door().Confirm(t.Context(), boss(), ps[0].ID, shown(ps[0])); err != nil || d.Proposals[0].State != deputy.Unknown {
			t.Fatal(err, d)
		}
		if !made {
			host.Change("things", func(rs []query.Row) []query.Row { rs[0]["name"] = "a"; return rs })
		}
		b.pass(2 * time.Minute)
		if got, err := b.door().Proposal(t.Context(), boss(), ps[0].ID); err != nil || got[0].State != want {
			t.Error(made, err, got)
		}
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	second := do("update_record", `{"table":"customers","id":"3","values":[{"field":"status","value":"vip"}]}`)
	b, ps := proposed(t, nil, do("update_record", phone), second)
	if ps[0].Position != 2 || ps[1].Position != 1 || ps[0].Group != ps[1].Group {
		t.Fatal(ps)
	}
	_, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	code(t, err, deputy.Conflict) // a member of a group of several
	_, err = b.door().Confirm(t.Context(), ann(), ps[0].Group, shown(ps[0]))
	code(t, err, deputy.Conflict) // not all were shown
	d, err := b.door().Confirm(t.Context(), ann(), ps[0].Group, shown(ps...))
	if err != nil || len(d.Proposals) != 2 || applied(b) != 1 {
		t.Fatal(err, d, applied(b))
	}
	if rows := b.host.Rows("customers"); rows[0]["phone"] != "+47 555" || rows[2]["status"] != "vip" {
		t.Error(rows)
	}
}

func TestGroupIsAllOrNothing(t *testing.T) {
	t.Parallel()
	second := do("update_record", `{"table":"customers","id":"3","values":[{"field":"status","value":"vip"}]}`)
	b, ps := proposed(t, nil, do("update_record", phone), second)
	b.host.Change("customers", func(rs []query.Row) []query.Row {
		rs[2]["phone"] = "changed"
		return rs
	})
	d, err := b.door().Confirm(t.Context(), ann(), ps[0].Group, shown(ps...))
	code(t, err, deputy.Stale)
	if phoneOf(b, 0) != "+47 1" || len(d.Renewed) != 2 || d.Proposals[0].State != deputy.Outdated || d.Proposals[1].State != deputy.Outdated {
		t.Error(phoneOf(b, 0), d)
	}
}

func TestGroupMemberRejected(t *testing.T) {
	t.Parallel()
	second := do("update_record", `{"table":"customers","id":"3","values":[{"field":"status","value":"vip"}]}`)
	b, ps := proposed(t, nil, do("update_record", phone), second)
	if _, err := b.door().Reject(t.Context(), ann(), ps[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.door().Confirm(t.Context(), ann(), ps[1].ID, shown(ps[1])); err != nil {
		t.Fatal(err)
	}
	if rows := b.host.Rows("customers"); rows[0]["phone"] != "+47 555" || rows[2]["status"] != "new" {
		t.Error(rows)
	}
}

func TestConfirmWithTheRightsOfNow(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	less := ann()
	less.Attributes["rep"] = "4" // the record is not hers any more: the rule stands in the write itself
	d, err := b.door().Confirm(t.Context(), less, ps[0].ID, shown(ps[0]))
	code(t, err, deputy.Stale)
	if phoneOf(b, 0) != "+47 1" || len(d.Renewed) != 0 {
		t.Error(phoneOf(b, 0), d)
	}
	b, ps = proposed(t, nil)
	none := caller("ann", "auditor") // no write tool any more
	d, err = b.door().Confirm(t.Context(), none, ps[0].ID, shown(ps[0]))
	if err != nil || d.Proposals[0].State != deputy.Failed || d.Proposals[0].Outcome != "Not a write tool: update_record" || b.host.Asked() != nil {
		t.Error(err, d, b.host.Asked())
	}
}

func TestConfirmWhileKilled(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil)
	if err := deputy.WriteKillSwitch(t.Context(), b.store.Settings, deputy.KillSwitch{All: true, Reason: "drill"}); err != nil {
		t.Fatal(err)
	}
	rows := len(b.log(t))
	_, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	code(t, err, deputy.Killed)
	_, err = b.door().Reject(t.Context(), ann(), ps[0].ID)
	code(t, err, deputy.Killed)
	if b.host.Asked() != nil || len(b.log(t)) != rows || b.proposals(t, ann())[0].State != deputy.Pending {
		t.Error("a killed confirmation left something")
	}
}

func TestDeleteWithChildren(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil, do("delete_record", `{"table":"invoices","id":"12"}`))
	p := ps[0]
	if p.Summary != "Delete invoice 12 and 1 notes" || len(p.Warnings) != 1 {
		t.Errorf("%q %q", p.Summary, p.Warnings)
	}
	var lines []string
	for _, l := range p.Lines {
		lines = append(lines, l.Table+" "+l.Record+" "+l.Field+"="+*l.Before)
	}
	if got := strings.Join(lines, "; "); got != "invoices 12 id=12; invoices 12 customer_id=1; invoices 12 total=5.00; notes 101 id=101; notes 101 invoice_id=12; notes 101 text=paid late; notes 101 private=false" {
		t.Error(got)
	}
	d, err := b.door().Confirm(t.Context(), ann(), p.ID, shown(p))
	if err != nil || d.Proposals[0].State != deputy.Done || len(b.host.Rows("invoices")) != 2 || len(b.host.Rows("notes")) != 2 {
		t.Error(err, d, b.host.Rows("notes"))
	}
}

func TestDeleteDoesNotTakeWhatIsNotSeen(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil, do("delete_record", `{"table":"invoices","id":"12"}`))
	b.host.Change("notes", func(rs []query.Row) []query.Row {
		return append(rs, query.Row{"id": int64(103), "invoice_id": int64(12), "text": "not for support", "private": true})
	})
	d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	if err != nil || d.Proposals[0].State != deputy.Failed || strings.Contains(d.Proposals[0].Outcome, "private") || len(b.host.Rows("invoices")) != 3 {
		t.Error(err, d.Proposals)
	}
}

func TestDeleteShowsAllThatGoes(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, nil, do("delete_record", `{"table":"invoices","id":"12"}`))
	b.host.Change("notes", func(rs []query.Row) []query.Row {
		return append(rs, query.Row{"id": int64(103), "invoice_id": int64(12), "text": "newer", "private": false})
	})
	d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0]))
	code(t, err, deputy.Stale)
	if len(b.host.Rows("invoices")) != 3 || len(d.Renewed) != 1 || d.Renewed[0].Summary != "Delete invoice 12 and 2 notes" {
		t.Error(d)
	}
}

// slowLog is a log whose row of a confirmation takes its time.
type slowLog struct {
	deputy.Log
	before func()
}

func (l *slowLog) Append(ctx context.Context, rows ...deputy.Entry) error {
	if rows[0].Outcome == deputy.InConfirm {
		l.before()
	}
	return l.Log.Append(ctx, rows...)
}

// TestConfirmationHeldUp: what was held up until its lease was over, so that it was told that nothing was written, is not written after all.
func TestConfirmationHeldUp(t *testing.T) {
	t.Parallel()
	log := &slowLog{}
	b, ps := proposed(t, func(c *deputy.Config) { log.Log, c.Store.Log = c.Store.Log, log })
	log.before = func() {
		b.pass(2 * time.Minute)
		if got, err := b.door().Proposal(t.Context(), ann(), ps[0].ID); err != nil || got[0].State != deputy.Failed {
			t.Error(err, got)
		}
	}
	_, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps...))
	code(t, err, deputy.AlreadyDecided)
	if phoneOf(b, 0) != "+47 1" || applied(b) != 0 {
		t.Error("said not to be written, and written")
	}
}
