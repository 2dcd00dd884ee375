package crash

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"example.com/deputy"
)

// scrubbed are messages as text, without what differs from one run to the next.
func scrubbed(w *world, ms []deputy.Message) string {
	w.Helper()
	ms = slices.Clone(ms)
	for i := range ms {
		ms[i].At = time.Time{}
	}
	text, err := json.MarshalIndent(ms, "", " ")
	if err != nil {
		w.Fatal(err)
	}
	return regexp.MustCompile(`(cnv|trn|tcl|prp|grp)_[a-z2-7]{26}`).ReplaceAllString(string(text), "$1")
}

// journal is what a reader makes of the events of one turn.
type journal struct {
	texts     map[int]string // by step
	names     map[string]int // how often an event of a name came
	finished  map[string]int // by call
	proposals []string
	end       deputy.TurnFinished
	last      int64
}

// replay reads events as a person's page does; an error says what is wrong with their order.
func replay(events []deputy.Event) (*journal, error) {
	j := &journal{texts: map[int]string{}, names: map[string]int{}, finished: map[string]int{}}
	for i, e := range events {
		if e.Seq <= j.last {
			return j, fmt.Errorf("event %d comes after %d", e.Seq, j.last)
		}
		if (i == 0) != (e.Name == deputy.EventTurnStarted) {
			return j, fmt.Errorf("event %d is %s", i, e.Name)
		}
		if j.names[deputy.EventTurnFinished] > 0 {
			return j, fmt.Errorf("%s after the end", e.Name)
		}
		j.last = e.Seq
		j.names[e.Name]++
		if err := j.take(e); err != nil {
			return j, err
		}
	}
	return j, nil
}

func (j *journal) take(e deputy.Event) error {
	switch e.Name {
	case deputy.EventTextDelta:
		var d deputy.Delta
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		if d.At > len(j.texts[d.Step]) {
			return fmt.Errorf("words are lost: %d bytes of step %d, then one at %d", len(j.texts[d.Step]), d.Step, d.At)
		}
		j.texts[d.Step] = j.texts[d.Step][:d.At] + d.Text
	case deputy.EventToolFinished:
		var f deputy.ToolFinished
		if err := json.Unmarshal(e.Data, &f); err != nil {
			return err
		}
		j.finished[f.Call]++
	case deputy.EventProposalCreated:
		var p deputy.ProposalCreated
		if err := json.Unmarshal(e.Data, &p); err != nil {
			return err
		}
		j.proposals = append(j.proposals, p.Proposal)
	case deputy.EventTurnFinished:
		return json.Unmarshal(e.Data, &j.end)
	}
	return nil
}

// same compares what two readers have made of a turn.
func (j *journal) same(other *journal) error {
	for step, text := range j.texts {
		if other.texts[step] != text {
			return fmt.Errorf("step %d: %q, and %q", step, text, other.texts[step])
		}
	}
	if len(j.texts) != len(other.texts) || j.end.Text != other.end.Text || j.end.Reason != other.end.Reason {
		return fmt.Errorf("%d steps, %+v; and %d, %+v", len(j.texts), j.end, len(other.texts), other.end)
	}
	return nil
}

// inTurn tells of a turn that is whole: each call has one result, one end in the journal, and a row of the log for each time it ran, at most two;
// each proposal is stored, and told of, once.
func (d *dump) inTurn(turn string) error {
	j, err := replay(d.Events[turn])
	if err != nil {
		return err
	}
	if j.names[deputy.EventTurnFinished] != 1 {
		return fmt.Errorf("the journal has no end")
	}
	var stored []string
	for _, p := range d.Proposals {
		if p.Turn == turn {
			stored = append(stored, p.ID)
		}
	}
	if !slices.Equal(stored, j.proposals) {
		return fmt.Errorf("proposals %v, told of %v", stored, j.proposals)
	}
	for _, call := range d.calls(turn) {
		rows := d.rowsOfCall(call)
		if len(rows) < 1 || j.finished[call] != 1 {
			return fmt.Errorf("call %s: %d rows, %d ends", call, len(rows), j.finished[call])
		}
		if last := rows[len(rows)-1]; last.Proposal != "" && !slices.Contains(stored, last.Proposal) {
			return fmt.Errorf("call %s: its row names a proposal that is not there", call)
		}
	}
	return nil
}

// rowsOfCall are the rows that a call has in the log, one for each time it ran.
func (d *dump) rowsOfCall(call string) (out []deputy.Entry) {
	for _, e := range d.Log {
		if e.ID == call {
			out = append(out, e)
		}
	}
	return out
}

// calls are those of a turn that have a result.
func (d *dump) calls(turn string) (out []string) {
	for _, ms := range d.Messages {
		for _, m := range ms {
			for _, p := range m.Parts {
				if m.Turn == turn && p.Result != nil {
					out = append(out, p.Result.Call)
				}
			}
		}
	}
	return out
}
