package deputy_test

import (
	"slices"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
)

// kept is a bench whose store outlives its assistant.
func kept(t *testing.T, directory deputy.Directory, shutdown time.Duration, answers ...scripted.Answer) *bench {
	t.Helper()
	return setup(t, func(c *deputy.Config) {
		c.Store.Close = nil
		c.Directory, c.Limits.Shutdown = directory, shutdown
	}, answers...)
}

// stopping stops an assistant in the background. It returns once who follows a turn has been sent away.
func (b *bench) stopping(t *testing.T, turn string) (stopped <-chan struct{}) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); b.Stop() }()
	var err error
	for _, err = range b.door().Follow(t.Context(), ann(), turn, 0) {
		if err != nil {
			break
		}
	}
	code(t, err, deputy.Unavailable)
	return done
}

// again is another assistant on the store, the host and the clock of a bench that was stopped.
func (b *bench) again(t *testing.T, directory deputy.Directory, answers ...scripted.Answer) *bench {
	t.Helper()
	next := setup(t, func(c *deputy.Config) {
		c.Store, c.Host, c.Clock, c.NewID, c.Directory = b.store, b.host, b.clock, b.id, directory
		c.Store.Close = nil
	}, answers...)
	next.store, next.host = b.store, b.host
	return next
}

// TestStopLetsAStepEnd: the step under way ends and is kept, the turn is gone on with by who comes next, and nothing runs twice.
func TestStopLetsAStepEnd(t *testing.T) {
	t.Parallel()
	all := people{"ann": ann().Person}
	b := kept(t, all, time.Minute, calls(do("query_records", `{"table":"customers"}`), do("update_record", phone)), scripted.Answer{Text: "not asked"})
	arrived, release := b.host.Hold(hosttest.Query)
	turn, err := b.door().Start(t.Context(), ann(), deputy.TurnInput{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	<-arrived
	stopped := b.stopping(t, turn)
	_, err = b.door().Start(t.Context(), ann(), deputy.TurnInput{Text: "too late"})
	code(t, err, deputy.Unavailable)
	release()
	<-stopped
	if got, err := b.store.Turns.Get(t.Context(), ann().Person, turn); err != nil || got.State != deputy.TurnRunning || len(b.requests()) != 1 {
		t.Fatal(err, got, len(b.requests()))
	}
	next := b.again(t, all, scripted.Answer{Text: "done"})
	got, seqs := next.followed(t, ann(), turn)
	if got.end.Reason != deputy.Answered || got.end.Text != "done" || !slices.IsSorted(seqs) {
		t.Error(got.end, got.names)
	}
	var outcomes []string
	for _, e := range b.log(t) {
		outcomes = append(outcomes, e.Tool+" "+string(e.Outcome))
	}
	slices.Sort(outcomes)
	if !slices.Equal(outcomes, []string{"query_records ran", "update_record proposed"}) {
		t.Error(outcomes)
	}
	if ps := next.proposals(t, ann()); len(ps) != 1 {
		t.Error(ps)
	}
}

// TestStopDoesNotWaitForEver: a step that does not end in time is taken again by who comes next; where nobody can, the turn is interrupted.
func TestStopDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	for name, directory := range map[string]deputy.Directory{"another takes it up": people{"ann": ann().Person}, "nobody can": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := kept(t, directory, time.Millisecond, calls(do("query_records", `{"table":"customers"}`)))
			arrived, release := b.host.Hold(hosttest.Query)
			turn, err := b.door().Start(t.Context(), ann(), deputy.TurnInput{Text: "x"})
			if err != nil {
				t.Fatal(err)
			}
			<-arrived
			b.Stop()
			b.Stop() // again is nothing
			release()
			if directory == nil {
				got, err := b.store.Turns.Get(t.Context(), ann().Person, turn)
				if err != nil || got.State != deputy.TurnFailed || got.Reason != deputy.Interrupted {
					t.Error(err, got)
				}
				return
			}
			if got, _ := b.again(t, directory).followed(t, ann(), turn); got.end.Reason != deputy.Answered {
				t.Error(got.end)
			}
		})
	}
}

// TestStopWaitsForAConfirmation: a write that was sent is answered and settled before the store is closed.
func TestStopWaitsForAConfirmation(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, func(c *deputy.Config) { c.Limits.Shutdown = time.Minute })
	arrived, release := b.host.Hold(hosttest.Apply)
	decided := make(chan deputy.Decision, 1)
	go func() {
		d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps...))
		if err != nil {
			t.Error(err)
		}
		decided <- d
	}()
	<-arrived
	closed := make(chan struct{})
	go func() { defer close(closed); b.Stop() }()
	release()
	<-closed
	if d := <-decided; len(d.Proposals) != 1 || d.Proposals[0].State != deputy.Done {
		t.Error(d)
	}
	_, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps...))
	code(t, err, deputy.Unavailable)
}

// TestHandedOnAsProcessesAreRestarted: every one of many processes ends after a step of the turn, and the turn goes on.
func TestHandedOnAsProcessesAreRestarted(t *testing.T) {
	t.Parallel()
	all := people{"ann": ann().Person}
	read := calls(do("query_records", `{"table":"customers"}`))
	b := kept(t, all, time.Minute, read)
	turn := ""
	for n := range 8 {
		arrived, release := b.host.Hold(hosttest.Query)
		if n == 0 {
			var err error
			if turn, err = b.door().Start(t.Context(), ann(), deputy.TurnInput{Text: "x"}); err != nil {
				t.Fatal(err)
			}
		} else {
			b = b.again(t, all, read)
		}
		<-arrived
		stopped := b.stopping(t, turn)
		release()
		<-stopped
	}
	if got, _ := b.again(t, all, scripted.Answer{Text: "at last"}).followed(t, ann(), turn); got.end.Text != "at last" || len(got.tools) != 8 {
		t.Error(got.end, len(got.tools))
	}
}

// TestPoisonIsNotTakenForEver: a turn that ends its worker each time, without an answer, is given up.
func TestPoisonIsNotTakenForEver(t *testing.T) {
	t.Parallel()
	b := kept(t, nil, time.Minute)
	b.Stop() // it looks for lost turns too
	turn := abandoned(t, b)
	lives := 1
	for ; lives < 20; lives++ {
		b.pass(time.Hour)
		if _, _, err := b.store.Turns.Claim(t.Context(), b.clock(), b.clock().Add(time.Minute)); err != nil {
			break
		}
		b.pass(time.Hour)
		if lives == 4 { // three without an answer more than the one it had
			b.again(t, people{"ann": ann().Person})
			if got := ended(t, b, turn.ID); got.Reason != deputy.Interrupted {
				t.Error(got)
			}
		}
	}
	if lives != 5 {
		t.Errorf("it was worked on %d times", lives)
	}
}
