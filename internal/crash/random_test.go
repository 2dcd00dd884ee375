package crash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/deputy"
)

// lane is how many processes are killed one after the other on the same files.
const lane = 50

// lanes are as many as make 200 times on Postgres, and 200 on SQLite, half of them in each of its ways.
func lanes(engine string) int {
	if engine == "postgres" {
		return 4
	}
	return 2
}

// TestKilledAtAnyTime kills processes that ask and confirm without pause, one after the other on the same files, at whatever moment: while they start,
// take up what the last one left, work, or write. Then it looks at everything that was ever asked.
func TestKilledAtAnyTime(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		for n := range lanes(engine) {
			t.Run(fmt.Sprintf("%s, %d", engine, n), func(t *testing.T) {
				t.Parallel()
				seed := rand.Uint64()
				t.Logf("seed %d", seed)
				killAtRandom(newWorld(t, engine), rand.New(rand.NewPCG(seed, 0)), lane)
			})
		}
	}
}

func killAtRandom(w *world, random *rand.Rand, rounds int) {
	w.Helper()
	var taken []accepted
	for round := range rounds {
		p := w.start(order{Do: "loop", Ahead: time.Duration(round) * later, First: round*perChild + 1})
		wait := 50 * time.Millisecond
		if round%4 != 0 { // else it may be killed while it starts
			wait = 5 * time.Millisecond
			lines := random.IntN(80)
			p.read(func(line) bool { lines--; return lines < 0 })
		}
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(wait))), func() { _ = p.cmd.Process.Kill() })
		if !p.end() {
			w.Fatal("it was not killed")
		}
		timer.Stop()
		for _, l := range p.lines {
			if l.Accepted != nil {
				taken = append(taken, *l.Accepted)
			}
		}
	}
	d := w.run(order{Do: "last", Ahead: time.Duration(rounds+1) * later}).dump()
	w.kept(d, taken)
	w.decided(d)
	for _, p := range d.Proposals {
		if p.State == deputy.Unknown && !d.creates(p) {
			w.Errorf("a doubt that reading settles is not settled: %s %v", p.Summary, d.rowsOf(p.ID))
		}
	}
	w.tally(d, len(taken))
}

// kept tests the turns: what was accepted is there, every turn has ended, and its journal tells what its messages say.
func (w *world) kept(d *dump, taken []accepted) {
	w.Helper()
	for _, a := range taken {
		said := slices.ContainsFunc(d.Messages[a.Conversation], func(m deputy.Message) bool {
			return m.Turn == a.Turn && m.Role == deputy.FromPerson && m.Text() == a.Text
		})
		if !said {
			w.Errorf("%q was accepted and is lost", a.Text)
		}
	}
	for id, turn := range d.Turns {
		if turn.State == deputy.TurnRunning {
			w.Errorf("turn %s runs for ever", id)
			continue
		}
		if err := d.inTurn(id); err != nil {
			w.Errorf("turn %s, %s: %v", id, turn.Reason, err)
		}
		if turn.State != deputy.TurnCompleted {
			continue
		}
		if err := d.told(turn); err != nil {
			w.Errorf("turn %s: %v", id, err)
		}
	}
}

// told compares the journal of a turn that was completed with its messages.
func (d *dump) told(turn deputy.Turn) error {
	j, err := replay(d.Events[turn.ID])
	if err != nil {
		return err
	}
	step := 0
	for _, m := range d.Messages[turn.Conversation] {
		if m.Turn != turn.ID || m.Role != deputy.FromModel {
			continue
		}
		if step++; j.texts[step] != m.Text() {
			return fmt.Errorf("step %d is told as %q, and stored as %q", step, j.texts[step], m.Text())
		}
	}
	return when(step == turn.Step && len(j.texts) == step && j.end.Text == said(), "%d of %d steps, %d told, the end %q", step, turn.Step, len(j.texts), j.end.Text)
}

// tally says what there was, so that a test that has tested nothing is seen.
func (w *world) tally(d *dump, taken int) {
	w.Helper()
	states, turns := map[deputy.State]int{}, map[deputy.Reason]int{}
	for _, p := range d.Proposals {
		states[p.State]++
	}
	for _, t := range d.Turns {
		turns[t.Reason]++
	}
	w.Logf("%d turns accepted; turns %v, proposals %v, %d rows", taken, turns, states, len(d.Log))
	if turns[deputy.Answered] < 10 || states[deputy.Done] < 5 || turns[deputy.Interrupted] > turns[deputy.Answered]/4 || len(turns) > 2 {
		w.Error("that is not what was to be tested")
	}
}
