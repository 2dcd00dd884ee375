package guard

import (
	"fmt"

	"example.com/deputy/internal/decimal"
	"example.com/deputy/internal/plain"
	"example.com/deputy/query"
)

// leap is the warning about a number that becomes more than ten times what it was, or less than a tenth, or changes its sign; empty: none.
// Zero is measured as one: 0 to 11 is a leap, 0 to 10 is none.
func leap(l Line) string {
	if l.Before == nil || l.After == nil {
		return ""
	}
	before, ok := number(*l.Before)
	after, too := number(*l.After)
	if !ok || !too {
		return ""
	}
	says := func(how string) string {
		return fmt.Sprintf("%s: %s is %s %s.", l.Label, plain.Quoted(*l.After), how, plain.Quoted(*l.Before))
	}
	ten, old, now := decimal.FromInt(10), size(before), size(after)
	switch {
	case before.Sign()*after.Sign() < 0:
		return fmt.Sprintf("%s: the sign changes, from %s to %s.", l.Label, plain.Quoted(*l.Before), plain.Quoted(*l.After))
	case after.Sign() != 0 && decimal.Cmp(now, decimal.Mul(ten, old)) > 0:
		return says("more than ten times")
	case before.Sign() != 0 && decimal.Cmp(decimal.Mul(ten, now), old) < 0:
		return says("less than a tenth of")
	}
	return ""
}

// number reads a number as it is shown, also one of JSON; none that nobody could write out.
func number(text string) (decimal.D, bool) {
	if len(text) > plain.MaxName {
		return decimal.D{}, false
	}
	if plainly, ok := decimal.Expand(text); ok {
		text = plainly
	}
	return decimal.Parse(text)
}

func size(d decimal.D) decimal.D {
	if d.Sign() == 0 {
		return decimal.FromInt(1)
	}
	return d.Abs()
}

// counts says whether the numbers of a field say how much: those of a key, or of what leads to another record, do not.
func counts(t *query.Table, f query.Field) bool {
	for _, r := range t.Relations {
		for _, name := range r.From {
			if !r.Many && name == f.Name {
				return false
			}
		}
	}
	return f.Type == query.Int || f.Type == query.Dec
}
