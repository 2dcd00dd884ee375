package deputy_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/deputy"
)

// pausing says some words at once, then thinks for a minute, then says the rest.
type pausing struct{}

func (pausing) Info() deputy.ModelInfo { return deputy.ModelInfo{Name: "pausing"} }

func (pausing) Stream(context.Context, deputy.Request) iter.Seq2[deputy.Chunk, error] {
	return func(yield func(deputy.Chunk, error) bool) {
		for _, word := range []string{"Let ", "me ", "see. "} {
			if !yield(deputy.Chunk{Text: word}, nil) {
				return
			}
		}
		time.Sleep(time.Minute) // of the bubble's clock
		yield(deputy.Chunk{Text: "Here.", Stop: deputy.StopEnd}, nil)
	}
}

// TestWordsAreNotHeldBack: what a model has said is told within a quarter of a second, though it says nothing more for long.
func TestWordsAreNotHeldBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, func(c *deputy.Config) { c.Models, c.Clock = []deputy.Model{pausing{}}, time.Now })
		began := time.Now()
		var told []string
		for e, err := range b.door().Turn(context.Background(), ann(), deputy.TurnInput{Text: "x"}) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Name == deputy.EventTextDelta {
				var d deputy.Delta
				if err := json.Unmarshal(e.Data, &d); err != nil {
					t.Fatal(err)
				}
				told = append(told, time.Since(began).String()+" "+d.Text)
			}
		}
		if got := strings.Join(told, "|"); got != "250ms Let me see. |1m0s Here." {
			t.Error(got)
		}
	})
}
