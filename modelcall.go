package deputy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.com/deputy/internal/decimal"
	"example.com/deputy/internal/redact"
)

// answer is what a model has said in one step.
type answer struct {
	text      strings.Builder
	reasoning strings.Builder
	opaque    []Part
	calls     []ToolCall
	usage     Usage
	cost      string
	stop      Stop
	size      int // of all of it, in bytes
}

// begun says whether anything of it may have reached the person.
func (a *answer) begun() bool {
	return a.text.Len() > 0 || a.reasoning.Len() > 0
}

// askModel is the one place that calls a model. The next model is asked if one fails before any text; grown is called as text comes in.
func (a *Assistant) askModel(ctx context.Context, p prompt, grown func(*answer) error) (*answer, error) {
	var errs []error
	for _, m := range a.cfg.Models {
		out, err := a.stream(ctx, m, p.request(m.Info()), grown)
		if err == nil {
			return out, nil
		}
		if out.begun() || ctx.Err() != nil {
			return out, errors.Join(append(errs, err)...)
		}
		a.cfg.Log.ErrorContext(ctx, "model call", "model", m.Info().Name, "code", string(CodeOf(err)), "error", redact.Error(err))
		errs = append(errs, err)
	}
	return &answer{}, errors.Join(errs...)
}

// Bounds of what one model call may say: bytes, and calls.
const (
	maxAnswer = 4 << 20
	maxCalls  = 200
)

func (a *Assistant) stream(ctx context.Context, m Model, r Request, grown func(*answer) error) (*answer, error) {
	span := &Span{Kind: "model", Turn: TurnOf(ctx), Model: m.Info()}
	ctx, end := a.observe(ctx, span)
	out := &answer{}
	err := func() error {
		for c, err := range m.Stream(ctx, r) {
			if err != nil {
				return err
			}
			out.take(c)
			if out.size > maxAnswer || len(out.calls) > maxCalls {
				return Errorf(TooLarge, "The model's answer is longer than %d bytes, or calls more than %d tools.", maxAnswer, maxCalls)
			}
			if err := grown(out); err != nil {
				return err
			}
		}
		return nil
	}()
	if err == nil && out.stop == "" {
		err = Errorf(Unavailable, "The model's answer broke off.")
	}
	out.cost = cost(span.Model.Price, out.usage)
	span.Usage, span.Stop = out.usage, out.stop
	end(err)
	return out, err
}

func (a *answer) take(c Chunk) {
	a.text.WriteString(c.Text)
	a.reasoning.WriteString(c.Reasoning)
	a.size += len(c.Text) + len(c.Reasoning)
	if c.Opaque != nil {
		a.size += len(c.Opaque.Data)
		a.opaque = append(a.opaque, Part{Opaque: c.Opaque})
	}
	if c.Call != nil {
		a.size += len(c.Call.Tool) + len(c.Call.Arguments)
		a.calls = append(a.calls, *c.Call)
	}
	if c.Usage != nil {
		a.usage = a.usage.Add(*c.Usage)
	}
	if c.Stop != "" {
		a.stop = c.Stop
	}
}

// parts is the answer as a message keeps it.
func (a *answer) parts() []Part {
	var out []Part
	if a.reasoning.Len() > 0 {
		out = append(out, Part{Reasoning: a.reasoning.String()})
	}
	out = append(out, a.opaque...)
	if a.text.Len() > 0 {
		out = append(out, Part{Text: a.text.String()})
	}
	for i := range a.calls {
		out = append(out, Part{Call: &a.calls[i]})
	}
	return out
}

// kept is a model's arguments as they can be stored: valid JSON stays, anything else becomes a JSON string, nothing becomes {}.
func kept(raw json.RawMessage) json.RawMessage {
	if strings.TrimSpace(string(raw)) == "" {
		return json.RawMessage("{}")
	}
	if json.Valid(raw) {
		return raw
	}
	b, err := json.Marshal(string(raw))
	if err != nil {
		return json.RawMessage(`""`)
	}
	return b
}

// cost is the price of a call, exact, per million tokens; empty where the model has no price.
func cost(p Price, u Usage) string {
	if p == (Price{}) {
		return ""
	}
	total := decimal.FromInt(0)
	for _, part := range []struct {
		price  string
		tokens int64
	}{{p.Input, u.Input - u.CachedInput}, {p.CachedInput, u.CachedInput}, {p.Output, u.Output}} {
		price, _ := decimal.Parse(part.price)
		total = decimal.Add(total, decimal.Mul(price, decimal.FromInt(part.tokens)))
	}
	total, _ = decimal.Quo(total, decimal.FromInt(1_000_000), 12)
	return total.Trim().String()
}

// checkPrice refuses prices that are no decimals.
func checkPrice(m ModelInfo) error {
	for _, p := range []string{m.Price.Input, m.Price.CachedInput, m.Price.Output} {
		if _, ok := decimal.Parse(p); p != "" && !ok {
			return fmt.Errorf("model %s: the price %q is no decimal", m.Name, p)
		}
	}
	return nil
}
