package api

import (
	"encoding/json"
	"strconv"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
)

type columnJSON struct {
	Name  string     `json:"name"`
	Label string     `json:"label"`
	Type  query.Type `json:"type"`
}

func columns(cs []query.Column) []columnJSON {
	out := make([]columnJSON, 0, len(cs))
	for _, h := range query.Headings(cs) {
		out = append(out, columnJSON{h.Name, h.Label, h.Type})
	}
	return out
}

func cells(rows [][]query.Value, zone *time.Location) [][]any {
	out := make([][]any, 0, len(rows))
	for _, r := range rows {
		out = append(out, query.Cells(r, zone))
	}
	return out
}

// text is a value as the text of a cell; NULL is empty.
func text(v query.Value, zone *time.Location) string {
	switch v := query.Cell(v, zone).(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case json.RawMessage:
		return string(v)
	default:
		b, _ := json.Marshal(v) // lists of the above always marshal
		return string(b)
	}
}

// optional is null where there is nothing.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

type personJSON struct {
	Issuer string `json:"issuer"`
	ID     string `json:"id"`
	Name   string `json:"name"`
	Zone   string `json:"zone,omitempty"`
}

func person(p deputy.Person) personJSON {
	out := personJSON{Issuer: p.Issuer, ID: p.ID, Name: p.Name}
	if p.Zone != nil {
		out.Zone = p.Zone.String()
	}
	return out
}

// list is a page of a list.
type list[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next" doc:"the after of the next page; null on the last"`
}

type listOutput[T any] struct{ Body list[T] }

// page cuts what was asked for with one more than limit, and says where the next page begins.
func page[In, Out any](in []In, limit int, seq func(In) int64, out func(In) Out) *listOutput[Out] {
	l := list[Out]{Items: make([]Out, 0, len(in))}
	if len(in) > limit {
		in = in[:limit]
		l.Next = next(seq(in[limit-1]))
	}
	for _, v := range in {
		l.Items = append(l.Items, out(v))
	}
	return &listOutput[Out]{l}
}

// place is the number that an after names; 0 where it names none.
func place(after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(after, 36, 64)
	if err != nil || n <= 0 {
		return 0, newProblem(deputy.Errorf(deputy.Invalid, "after: %q is no next of this list; leave it out to begin at the start.", after))
	}
	return n, nil
}

// next is the other way round; null where there is no further page.
func next(place int64) *string {
	if place == 0 {
		return nil
	}
	s := strconv.FormatInt(place, 36)
	return &s
}
