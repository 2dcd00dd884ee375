package sqldb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
)

// The sentences that a person reads where a change is not made.
const (
	recordGone     = "The record is gone."
	recordChanged  = "The record has changed since."
	conditionFalse = "The condition of this change does not hold any more."
	notAllowed     = "You may not write such a record."
	notAlong       = "Records would go with it that you may not delete, or that are no part of this."
	noParent       = "It belongs to a record that no earlier change of this group has created."
	falseByGroup   = "The condition of this change does not hold any more once what goes before it in the group is made."
	goneByGroup    = "An earlier change of this group has removed the record."
	notLet         = "The database does not let this be written."
	hasChildren    = "Other records refer to this one, so it cannot be deleted."
	severalRecords = "Several records have this key, so none was changed."
	ownRules       = "The database's own rules refuse this change."
)

// Apply implements deputy.Host: the whole group in one transaction. It returns an error that is a *deputy.Error where nothing was written;
// any other means that it is not known.
func (h *Host) Apply(ctx context.Context, _ deputy.Person, _ string, ws []deputy.Write) ([]deputy.Applied, error) {
	conn, err := h.db.begin(ctx)
	if err != nil {
		return nil, h.nothingWritten(ctx, err)
	}
	defer conn.Close()
	g := &group{h: h, conn: conn, out: make([]deputy.Applied, len(ws)), seen: make([][]query.Value, len(ws)), followers: map[*table][]follower{}}
	for i := range g.out {
		g.out[i].State = deputy.Pending
	}
	done, err := g.run(ctx, ws)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || !done {
		return g.undo(ctx, err)
	}
	return g.commit(ctx)
}

// nothingWritten is the error for what ended a group before it was committed.
func (h *Host) nothingWritten(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &deputy.Error{Code: deputy.Timeout, Message: "The change took too long and was stopped. Nothing was written.", Cause: ctx.Err()}
	case ctx.Err() != nil:
		return &deputy.Error{Code: deputy.Timeout, Message: "The change was stopped. Nothing was written.", Cause: ctx.Err()}
	}
	err = forLog(err)
	switch h.db.fault(err) {
	case busy, outdated:
		return &deputy.Error{Code: deputy.Unavailable, Message: "The database is busy. Nothing was written; try again in a moment.", Cause: err}
	case lost:
		return &deputy.Error{Code: deputy.Unavailable, Message: "The database cannot be reached. Nothing was written; try again in a moment.", Cause: err}
	case denied:
		return &deputy.Error{Code: deputy.PermissionDenied, Message: notLet, Cause: err}
	case slow:
		return &deputy.Error{Code: deputy.Timeout, Message: "The change took too long and was stopped. Nothing was written.", Cause: err}
	case tooMuch:
		return &deputy.Error{Code: deputy.Invalid, Message: "The conditions of the change are too large for the database. Nothing was written.", Cause: err}
	}
	return &deputy.Error{Code: deputy.Internal, Message: "The database did not make the change. Nothing was written.", Cause: err}
}

// group is a group of writes under way in its transaction.
type group struct {
	h    *Host
	conn session
	out  []deputy.Applied
	seen [][]query.Value // of each write: the values of its version, as just read

	followers map[*table][]follower // of the tables of which a record was deleted
}

func (g *group) undo(ctx context.Context, err error) ([]deputy.Applied, error) {
	if rollback := g.h.db.rollback(context.WithoutCancel(ctx), g.conn); err == nil {
		err = rollback
	}
	if err != nil {
		return nil, g.h.nothingWritten(ctx, err)
	}
	for i := range g.out {
		if g.out[i].State == deputy.Done {
			g.out[i] = deputy.Applied{State: deputy.Pending}
		}
	}
	return g.out, nil
}

// commit cannot be stopped any more: what is not known to have failed may have been written.
func (g *group) commit(ctx context.Context) ([]deputy.Applied, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	_, err := g.conn.ExecContext(ctx, "COMMIT")
	if err == nil {
		return g.out, nil
	}
	last := &g.out[len(g.out)-1]
	switch f := g.h.db.fault(err); {
	case f == notRelated: // tested only at the end
		*last = refuse(deputy.Failed, "The records refer to one that does not exist.")
		return g.undo(ctx, nil)
	case f.constraint():
		*last = refuse(deputy.Failed, ownRules)
		return g.undo(ctx, nil)
	case f == outdated:
		*last = refuse(deputy.Outdated, recordChanged)
		return g.undo(ctx, nil)
	case f != noAnswer && f != lost:
		return g.undo(ctx, err)
	}
	_ = g.h.db.rollback(ctx, g.conn)
	return nil, fmt.Errorf("committing: %w", forLog(err))
}

// commitTime is how long the answer to a COMMIT is waited for.
const commitTime = 30 * time.Second

func refuse(s deputy.State, format string, args ...any) deputy.Applied {
	return deputy.Applied{State: s, Error: fmt.Sprintf(format, args...)}
}

// run makes the writes; done says that all were.
func (g *group) run(ctx context.Context, ws []deputy.Write) (done bool, err error) {
	if err := g.lockAll(ctx, ws); err != nil {
		return false, err
	}
	ok := true
	for i, w := range ws {
		if err := g.check(ctx, i, w); err != nil {
			return false, err
		}
		ok = ok && g.out[i].State == deputy.Pending
	}
	made := deputy.Made{}
	for i, w := range ws {
		if !ok {
			return false, nil
		}
		if w, ok = made.Fill(w); !ok {
			g.out[i] = refuse(deputy.Failed, noParent)
			return false, nil
		}
		if g.out[i], err = g.write(ctx, i, w); err != nil {
			return false, err
		}
		made.Add(w, g.out[i])
		ok = g.out[i].State == deputy.Done
	}
	return ok, nil
}

// target is the table of a write; nil where it cannot be written.
func (g *group) target(w deputy.Write) *table {
	t, err := g.h.catalog.find(w.Table)
	if err != nil || t.view || len(t.key) == 0 {
		return nil
	}
	return t
}

// check tests, before the first change, that a record is as it was shown.
func (g *group) check(ctx context.Context, i int, w deputy.Write) error {
	t := g.target(w)
	if t == nil {
		g.out[i] = refuse(deputy.Failed, "There is no table %s that can be written.", w.Table)
		return nil
	}
	if w.Verb == deputy.Create {
		return nil
	}
	key, ok := keyCondition(t, w.Key)
	if !ok {
		g.out[i] = refuse(deputy.Outdated, recordGone)
		return nil
	}
	state, why, err := g.compare(ctx, i, t, w, key)
	if state != "" {
		g.out[i] = refuse(state, "%s", why)
	}
	return err
}

func (g *group) compare(ctx context.Context, i int, t *table, w deputy.Write, key query.Expr) (deputy.State, string, error) {
	c := g.h.compiler()
	defer g.h.db.forget(c)
	s := c.open(t, nil, nil)
	outs := []output{c.output(part{text: "(" + c.condition(w.When, s) + ") IS TRUE", t: query.Bool})}
	outs = append(outs, c.version(w.VersionOf, s)...)
	where := c.condition(key, s)
	if c.err != nil {
		return "", "", c.err
	}
	lines, err := lines(ctx, g.conn, "SELECT "+list(outs)+" FROM "+c.from(s)+" WHERE "+where, c.args, outs)
	switch {
	case err != nil:
		return "", "", err
	case len(lines) == 0:
		return deputy.Outdated, recordGone, nil
	case len(lines) > 1:
		return deputy.Failed, severalRecords, nil
	case w.VersionOf != nil && query.Version(lines[0][1:]) != w.Version:
		return deputy.Outdated, recordChanged, nil
	case lines[0][0] != true:
		return deputy.Outdated, conditionFalse, nil
	}
	g.seen[i] = lines[0][1:]
	return "", "", nil
}

// keyCondition says which record a key means; ok is false where it cannot mean any.
func keyCondition(t *table, key []string) (query.Expr, bool) {
	if len(key) != len(t.offered.Key) {
		return nil, false
	}
	var all []query.Expr
	for i, name := range t.offered.Key {
		f := t.byField[name].field
		v, err := query.ParseValue(f.Type, key[i])
		if err != nil {
			return nil, false
		}
		all = append(all, query.Equal(t.offered.Name, f, v))
	}
	return query.And(all...), true
}

func (g *group) write(ctx context.Context, i int, w deputy.Write) (deputy.Applied, error) {
	t := g.target(w)
	if w.Still != nil {
		if ok, err := g.holds(ctx, t, w.Key, w.Still); err != nil || !ok {
			return refuse(deputy.Failed, falseByGroup), err
		}
	}
	if w.Tests() { // that was done before, and the record is kept
		return deputy.Applied{State: deputy.Done, Key: w.Key}, nil
	}
	if w.Verb == deputy.Delete {
		if refused, err := g.along(ctx, t, w); err != nil || refused.State != "" {
			return refused, err
		}
	}
	st := g.statement(i, t, w)
	defer g.h.db.forget(st.c)
	if st.refused.State != "" || st.c.err != nil {
		return st.refused, st.c.err
	}
	if err := st.build(ctx); err != nil || st.refused.State != "" {
		return st.refused, err
	}
	rows, err := st.run(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		return g.refusal(t, w, err)
	case err != nil:
		return deputy.Applied{}, err
	case len(rows) == 0:
		return g.untouched(ctx, i, t, w)
	case len(rows) > 1:
		return refuse(deputy.Failed, severalRecords), nil
	}
	return g.written(ctx, st, rows[0])
}

// untouched is the answer to a statement that wrote no row. All that it asks for was tested before: where that still holds, it is the
// database that left the row as it is.
func (g *group) untouched(ctx context.Context, i int, t *table, w deputy.Write) (deputy.Applied, error) {
	which, ok := keyCondition(t, w.Key)
	switch {
	case w.Verb == deputy.Create:
		return refuse(deputy.Failed, ownRules), nil
	case !ok:
		return refuse(deputy.Outdated, recordGone), nil
	case i > 0:
		if there, err := g.holds(ctx, t, w.Key, nil); err != nil || !there {
			return refuse(deputy.Failed, goneByGroup), err
		}
		return refuse(deputy.Failed, ownRules), nil
	}
	state, why, err := g.compare(ctx, i, t, w, which)
	if err != nil || state != "" {
		return refuse(state, "%s", why), err
	}
	return refuse(deputy.Failed, ownRules), nil
}

// written tests what a statement has made of the record: each value as it was confirmed, and the record one that may be written.
func (g *group) written(ctx context.Context, st *statement, row []query.Value) (deputy.Applied, error) {
	n := len(st.t.offered.Key)
	for i, v := range st.confirmed {
		if field := st.w.Values[i].Field; g.h.db.verbatim(st.t.byField[field]) && !query.Same(row[n+i], v) {
			return refuse(deputy.Failed, "%s: the column cannot keep this exactly.", field), nil
		}
	}
	key := keyTexts(row[:n])
	if st.w.Verb != deputy.Delete && st.w.Check != nil {
		if ok, err := g.holds(ctx, st.t, key, st.w.Check); err != nil || !ok {
			return refuse(deputy.Failed, notAllowed), err
		}
	}
	return deputy.Applied{State: deputy.Done, Key: key}, nil
}

func keyTexts(values []query.Value) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i], _ = query.FormatValue(v)
	}
	return out
}

// holds says whether a record is there, and every one that has the key meets a condition.
func (g *group) holds(ctx context.Context, t *table, key []string, condition query.Expr) (bool, error) {
	which, ok := keyCondition(t, key)
	if !ok {
		return false, nil
	}
	c := g.h.compiler()
	defer g.h.db.forget(c)
	s := c.open(t, nil, nil)
	outs := []output{c.output(part{text: "(" + c.condition(condition, s) + ") IS TRUE", t: query.Bool})}
	where := c.condition(which, s)
	if c.err != nil {
		return false, c.err
	}
	lines, err := lines(ctx, g.conn, "SELECT "+list(outs)+" FROM "+c.from(s)+" WHERE "+where, c.args, outs)
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(l []query.Value) bool { return l[0] != true }), err
}

// statement is one INSERT, UPDATE or DELETE being made.
type statement struct {
	g         *group
	i         int
	t         *table
	w         deputy.Write
	c         *compiler
	text      string
	names     []string      // of the columns that are assigned,
	values    []string      // and what to
	returning []output      // the key, then what is assigned
	confirmed []query.Value // what is assigned, as it was confirmed
	refused   deputy.Applied
}

func (g *group) statement(i int, t *table, w deputy.Write) *statement {
	st := &statement{g: g, i: i, t: t, w: w, c: g.h.compiler()}
	for _, name := range t.offered.Key {
		col := t.byField[name]
		st.returning = append(st.returning, st.c.output(st.c.kept(quote(col.name), col)))
	}
	return st
}

func (st *statement) build(ctx context.Context) error {
	if st.w.Verb != deputy.Delete {
		for _, a := range st.w.Values {
			v, err := st.value(ctx, a)
			if err != nil || st.refused.State != "" {
				return err
			}
			col := st.t.byField[a.Field]
			st.names = append(st.names, quote(col.name))
			st.values = append(st.values, st.c.bind(v))
			st.returning = append(st.returning, st.c.output(st.c.kept(quote(col.name), col)))
		}
	}
	names, values, name := st.names, st.values, st.c.dialect.table(st.t)
	if !st.g.h.db.returning() {
		return st.c.err
	}
	or, err := st.g.h.db.orFail(ctx, st.g.conn, st.t)
	if err != nil {
		return err
	}
	switch st.w.Verb {
	case deputy.Create:
		st.text = "INSERT" + or + " INTO " + name + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
		if len(names) == 0 {
			st.text = "INSERT" + or + " INTO " + name + " DEFAULT VALUES"
		}
	case deputy.Update:
		st.text = "UPDATE" + or + " " + name + " AS t0 SET " + assignments(names, values) + st.where()
	case deputy.Delete:
		st.text = "DELETE FROM " + name + " AS t0" + st.where()
	default:
		return fmt.Errorf("no verb %q", st.w.Verb)
	}
	st.text += " RETURNING " + list(st.returning)
	return st.c.err
}

// run makes the statement, and gives of each row that it wrote what returning says.
func (st *statement) run(ctx context.Context) ([][]query.Value, error) {
	if !st.g.h.db.returning() {
		return st.g.h.db.wrote(ctx, st.g.conn, st)
	}
	return lines(ctx, st.g.conn, st.text, st.c.args, st.returning)
}

func assignments(names, values []string) string {
	out := make([]string, len(names))
	for i := range names {
		out[i] = names[i] + " = " + values[i]
	}
	return strings.Join(out, ", ")
}

// where carries the key, the condition and the version into the statement itself. After the group's own first change the last two are not
// asked again: all were tested before, in the same transaction, and since then only the group itself and what it set off have written.
func (st *statement) where() string {
	key, _ := keyCondition(st.t, st.w.Key)
	c := st.c
	root := node{alias: "t0", t: st.t}
	target := &scope{root: root, joined: map[string]node{}}
	text := " WHERE " + c.condition(key, target)
	inner := c.open(st.t, nil, nil)
	conditions := []string{c.condition(key, inner)}
	if st.i == 0 {
		if st.w.When != nil {
			conditions = append(conditions, c.condition(st.w.When, inner))
		}
		for k, name := range st.w.VersionOf {
			col := inner.root.column(c, name)
			conditions = append(conditions, c.dialect.unchanged(c, inner.root.ref(col), col, st.g.seen[st.i][k]))
		}
	}
	return text + " AND EXISTS (SELECT 1 FROM " + c.from(inner) + " WHERE " + strings.Join(conditions, " AND ") + ")"
}

// value is what is bound for a field; a value that the column cannot hold as it is, is refused.
func (st *statement) value(ctx context.Context, a deputy.Assign) (any, error) {
	col, ok := st.t.byField[a.Field]
	switch {
	case !ok:
		st.refused = refuse(deputy.Failed, "There is no field %s.", a.Field)
		return nil, nil
	case col.field.Generated || col.field.ReadOnly:
		st.refused = refuse(deputy.Failed, "%s cannot be written.", a.Field)
		return nil, nil
	case a.Text == nil:
		st.confirmed = append(st.confirmed, nil)
		return nil, nil
	}
	v, err := query.ParseValue(col.field.Type, *a.Text)
	if err != nil {
		st.refused = refuse(deputy.Failed, "%s: %v.", a.Field, err)
		return nil, nil
	}
	st.confirmed = append(st.confirmed, v)
	kept, why, err := st.g.h.db.store(ctx, st.g.conn, st.t, col, v)
	if why != "" {
		st.refused = refuse(deputy.Failed, "%s: %s.", a.Field, why)
	}
	return kept, err
}
