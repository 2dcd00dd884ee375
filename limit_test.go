package deputy_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
)

// slow is a bench whose host answers no question; its clock is the bubble's.
func slow(t *testing.T, limits deputy.Limits, answers ...scripted.Answer) *bench {
	b := setup(t, func(c *deputy.Config) {
		c.Clock = time.Now
		limits.TurnsPerMinute = -1
		c.Limits = limits
	}, answers...)
	_, release := b.host.Hold(hosttest.Query)
	t.Cleanup(release)
	return b
}

func TestToolTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := slow(t, deputy.Limits{}, calls(do("query_records", `{"table":"customers"}`)), scripted.Answer{Text: "sorry"})
		began := time.Now()
		got := b.ask(t, ann(), "", "x")
		if took := time.Since(began); took < 30*time.Second || took > 31*time.Second {
			t.Errorf("it took %v", took)
		}
		if got.end.Reason != deputy.Answered || got.tools[0].Outcome != deputy.CallFailed || got.tools[0].Error.Code != deputy.Timeout {
			t.Error(got.end, got.tools)
		}
		if rows := b.log(t); len(rows) != 1 || rows[0].Duration < 30*time.Second {
			t.Error(rows)
		}
	})
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := slow(t, deputy.Limits{ToolTimeout: time.Hour, TurnTimeout: time.Minute}, calls(do("query_records", `{"table":"customers"}`)))
		got := b.ask(t, ann(), "", "x")
		if got.end.Reason != deputy.TimeLimit || got.end.State != deputy.TurnStopped || len(b.log(t)) != 1 {
			t.Error(got.end, b.log(t))
		}
	})
}

// TestLongTurnKeepsItsLease shows that a turn that only waits is not taken for lost.
func TestLongTurnKeepsItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := slow(t, deputy.Limits{ToolTimeout: 4 * time.Minute}, calls(do("query_records", `{"table":"customers"}`)))
		id, err := b.door().Start(context.Background(), ann(), deputy.TurnInput{Text: "x"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Minute) // of the bubble's clock
		b.ask(t, bob(), "", "y")    // looks for lost turns
		got, err := b.door().LookupTurn(context.Background(), ann(), id)
		if err != nil || got.State != deputy.TurnRunning {
			t.Error(err, got)
		}
		time.Sleep(2 * time.Minute)
	})
}
