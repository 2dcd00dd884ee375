package records

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/deputy"
	"example.com/deputy/query"
)

// Bounds of what is looked for.
const (
	mostCharacters = 200
	mostWords      = 10
)

// term is a text that is looked for: its words must all be there, wherever they stand; what equals or begins with the whole comes first.
type term struct {
	whole string
	words []string
}

// readTerm reads what a model gave. White space parts words, as does U+0000, which some databases have in no text; characters that nobody sees, before and behind one, are no part of it.
func readTerm(text string) (term, error) {
	if n := utf8.RuneCountInString(text); n > mostCharacters {
		return term{}, deputy.Errorf(deputy.Invalid, "`term` has %d characters, more than %d: give the few words that tell most", n, mostCharacters)
	}
	var t term
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == 0 }) {
		if w = strings.TrimFunc(w, unseen); w != "" {
			t.words = append(t.words, w)
		}
	}
	if len(t.words) > mostWords {
		return term{}, deputy.Errorf(deputy.Invalid, "`term` has %d words, more than %d: give the few that tell most", len(t.words), mostWords)
	}
	t.whole = strings.Join(t.words, " ")
	return t, nil
}

func unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// found is the condition that all words are there, each in one of the places; not ok where that can never be.
func (look term) found(places []query.Expr) (is query.Expr, ok bool) {
	for _, w := range look.words {
		var in query.Expr
		for _, p := range places {
			in = query.Or(in, holds(p, w))
		}
		if in == nil {
			return nil, false
		}
		is = query.And(is, in)
	}
	return is, true
}

// here is the condition that any of the words is in a place; nil where none can be.
func (look term) here(place query.Expr) query.Expr {
	var is query.Expr
	for _, w := range look.words {
		is = query.Or(is, holds(place, w))
	}
	return is
}

// rank is 0 where a place is the whole text, 1 where one begins with it, else 2.
func (look term) rank(places []query.Expr) query.Expr {
	var is, begins query.Expr
	for _, p := range places {
		if p.Type() == query.String {
			is = query.Or(is, op("==", op("lower", p), text(strings.ToLower(look.whole))))
			begins = query.Or(begins, op("startsWith", p, text(look.whole)))
			continue
		}
		is = query.Or(is, holds(p, look.whole))
	}
	return choose(is, number(0), choose(begins, number(1), number(2)))
}

// holds is the condition that a place has a word in it: a text anywhere, ignoring case; a number as a whole. nil where it never can.
func holds(place query.Expr, word string) query.Expr {
	switch place.Type() {
	case query.String:
		return op("contains", place, text(word))
	case query.Int:
		if v, err := query.ParseValue(query.Int, word); err == nil {
			return op("==", place, query.Lit{V: v, T: query.Int})
		}
	}
	return nil
}

// choose is then where a condition holds, else otherwise; a nil condition never does.
func choose(is, then, otherwise query.Expr) query.Expr {
	if is == nil {
		return otherwise
	}
	return query.Op{Fn: "?:", Args: []query.Expr{is, then, otherwise}, T: then.Type()}
}

func op(fn string, args ...query.Expr) query.Expr {
	t := query.Bool
	if fn == "lower" || fn == "substring" {
		t = query.String
	}
	return query.Op{Fn: fn, Args: args, T: t}
}

func text(s string) query.Expr { return query.Lit{V: s, T: query.String} }

func number(n int64) query.Expr { return query.Lit{V: n, T: query.Int} }

// searched are the fields of a table that a search looks in.
func searched(t *query.Table) []query.Expr {
	var out []query.Expr
	for _, name := range t.Search {
		f, ok := t.Field(name)
		if ok && !f.Secret && (f.Type == query.String || f.Type == query.Int) {
			out = append(out, query.Ref{Table: t.Name, Field: f})
		}
	}
	return out
}

// labelOf is what names a record of a table for this person; nil where nothing does.
func labelOf(ctx context.Context, v *deputy.View, t *query.Table) (query.Expr, error) {
	if t.RecordLabel == "" {
		return nil, nil
	}
	e, err := v.Expr(ctx, t.Name, t.RecordLabel)
	if deputy.CodeOf(err) == deputy.Invalid { // a field of it is hidden
		return nil, nil
	}
	return e, err
}

// with appends what is there.
func with(es []query.Expr, e query.Expr) []query.Expr {
	if e == nil {
		return es
	}
	return append(es[:len(es):len(es)], e)
}

// mostLookedAt is how many tables are looked at before a tool is offered.
const mostLookedAt = 25

// anyTable says whether some table that this person may read is as asked: one of the first mostLookedAt, for it is asked before every
// request to a model. Where there are more, it may be one of those.
func anyTable(ctx context.Context, v *deputy.View, is func(*query.Table) bool) (bool, error) {
	found, n := false, 0
	err := eachTable(ctx, v, func(t *query.Table) bool {
		n++
		found = n > mostLookedAt || is(t)
		return !found
	})
	return found, err
}

// eachTable goes through the tables that this person may read, by name, until f says no.
func eachTable(ctx context.Context, v *deputy.View, f func(*query.Table) bool) error {
	for after := ""; ; {
		page, err := v.Catalog().Tables(ctx, "", after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, s := range page {
			t, err := v.Table(ctx, s.Name)
			if deputy.CodeOf(err) == deputy.NotFound { // gone in between
				continue
			}
			if err != nil || !f(t) {
				return err
			}
		}
		after = page[len(page)-1].Name
	}
}
