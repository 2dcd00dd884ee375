package sqldb

import (
	"context"
	"fmt"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

// returning: only an INSERT of MariaDB's can.
func (db *maria) returning() bool { return false }

// wrote makes a statement and reads again what it wrote. The record was locked, and what the change stands on was tested, before: in the same
// transaction, so the statement asks for the key alone.
func (db *maria) wrote(ctx context.Context, s session, st *statement) ([][]query.Value, error) {
	switch st.w.Verb {
	case deputy.Create:
		return db.inserted(ctx, s, st)
	case deputy.Update:
		return db.updated(ctx, s, st)
	case deputy.Delete:
		return db.deleted(ctx, s, st)
	}
	return nil, fmt.Errorf("no verb %q", st.w.Verb)
}

func (db *maria) inserted(ctx context.Context, s session, st *statement) ([][]query.Value, error) {
	text := "INSERT INTO " + db.table(st.t) + " (" + strings.Join(st.names, ", ") + ") VALUES (" + strings.Join(st.values, ", ") + ")"
	if !db.mysql {
		return lines(ctx, s, text+" RETURNING "+list(st.returning), st.c.args, st.returning)
	}
	result, err := s.ExecContext(ctx, text, st.c.args...)
	if err != nil {
		return nil, err
	}
	made, err := result.LastInsertId()
	if err != nil {
		return nil, err
	}
	return st.again(ctx, s, func(name string) (string, bool) {
		return fmt.Sprint(made), made != 0 && st.t.byField[name].field.Generated
	})
}

func (db *maria) updated(ctx context.Context, s session, st *statement) ([][]query.Value, error) {
	where, err := st.byKey("t0")
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, "UPDATE "+db.table(st.t)+" AS t0 SET "+assignments(st.names, st.values)+" WHERE "+where, st.c.args...)
	if err != nil {
		return nil, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 { // found, whether they were changed or not
		return nil, err
	}
	key := st.w.Key
	return st.again(ctx, s, func(name string) (string, bool) {
		for i, k := range st.t.offered.Key {
			if k == name && i < len(key) {
				return key[i], true
			}
		}
		return "", false
	})
}

func (db *maria) deleted(ctx context.Context, s session, st *statement) ([][]query.Value, error) {
	where, err := st.byKey(quote(st.t.name)) // no alias: before 11.6 a DELETE takes none
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, "DELETE FROM "+db.table(st.t)+" WHERE "+where, st.c.args...)
	if err != nil {
		return nil, err
	}
	n, err := result.RowsAffected()
	var row []query.Value
	for i, name := range st.t.offered.Key {
		v, err := query.ParseValue(st.t.byField[name].field.Type, st.w.Key[i])
		if err != nil {
			return nil, err
		}
		row = append(row, v)
	}
	var out [][]query.Value
	for range min(n, 2) {
		out = append(out, row)
	}
	return out, err
}

func (st *statement) byKey(alias string) (string, error) {
	key, _ := keyCondition(st.t, st.w.Key)
	where := st.c.condition(key, &scope{root: node{alias: alias, t: st.t}, joined: map[string]node{}})
	return where, st.c.err
}

// again reads what was written: by the key as it was assigned, else as known says.
func (st *statement) again(ctx context.Context, s session, known func(field string) (string, bool)) ([][]query.Value, error) {
	var key []string
	for _, name := range st.t.offered.Key {
		text, ok := known(name)
		for i, a := range st.w.Values {
			if a.Field == name && a.Text != nil && i < len(st.confirmed) {
				text, ok = *a.Text, true
			}
		}
		if !ok {
			return nil, fmt.Errorf("the database does not say which key it made for %s", st.t.name)
		}
		key = append(key, text)
	}
	which, _ := keyCondition(st.t, key)
	where := st.c.condition(which, &scope{root: node{alias: "t0", t: st.t}, joined: map[string]node{}})
	if st.c.err != nil {
		return nil, st.c.err
	}
	return lines(ctx, s, "SELECT "+list(st.returning)+" FROM "+st.c.dialect.table(st.t)+" AS t0 WHERE "+where, st.c.args, st.returning)
}

// verbatim: of other types the server writes its own form of a text, and a secret may be kept as something else on purpose.
func (db *maria) verbatim(col *column) bool {
	switch col.field.Type {
	case query.Int, query.Dec, query.Bool, query.Date, query.Timestamp:
		return true
	}
	return col.field.Type == query.String && (isText(col) || col.native == "enum") && !col.field.Secret
}

func (db *maria) orFail(context.Context, querier, *table) (string, error) { return "", nil }
