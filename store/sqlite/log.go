package sqlite

import (
	"context"
	"encoding/json"

	"example.com/deputy"
)

type log struct{ *store }

func (s log) Append(ctx context.Context, rows ...deputy.Entry) error {
	return s.write(ctx, "log", func(t tx) error { return t.log(rows) })
}

func (t tx) log(rows []deputy.Entry) error {
	for _, e := range rows {
		if _, err := t.exec(`INSERT INTO deputy_log (id, at, person, person_id, person_name, channel, conversation, turn, phase, tool, kind,
				operation, proposal, outcome, arguments, returned, bytes, truncated, duration, error_code)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			e.ID, micros(e.At), e.Person.Key(), e.Person.ID, e.Person.Name, string(e.Channel), e.Conversation, e.Turn, e.Phase, e.Tool, string(e.Kind),
			e.Operation, e.Proposal, string(e.Outcome), string(e.Arguments), e.Returned, e.Bytes, e.Truncated, int64(e.Duration), string(e.ErrorCode)); err != nil {
			return err
		}
	}
	return nil
}

const logColumns = `SELECT seq, id, at, person, person_name, channel, conversation, turn, phase, tool, kind, operation, proposal, outcome, arguments,
	returned, bytes, truncated, duration, error_code FROM deputy_log `

func scanEntry(row scanner) (e deputy.Entry, err error) {
	var key, name, arguments string
	var at int64
	err = row.Scan(&e.Seq, &e.ID, &at, &key, &name, &e.Channel, &e.Conversation, &e.Turn, &e.Phase, &e.Tool, &e.Kind, &e.Operation, &e.Proposal,
		&e.Outcome, &arguments, &e.Returned, &e.Bytes, &e.Truncated, &e.Duration, &e.ErrorCode)
	e.At, e.Person, e.Arguments = moment(at), known(key, name), raw(arguments)
	return e, err
}

func (s log) Get(ctx context.Context, as deputy.Person, call string) (e deputy.Entry, err error) {
	err = s.get(ctx, "tool call", logColumns+`WHERE id = ? AND person = ? AND phase = 'turn' ORDER BY seq DESC LIMIT 1`, []any{call, as.Key()},
		func(row scanner) (err error) {
			e, err = scanEntry(row)
			return err
		})
	return e, err
}

func (s log) List(ctx context.Context, as deputy.Person, f deputy.LogFilter, before int64, limit int) ([]deputy.Entry, error) {
	return s.rows(ctx, `WHERE seq < ? AND person = ?`, []any{below(before), as.Key()}, f, limit)
}

func (s log) All(ctx context.Context, f deputy.LogFilter, before int64, limit int) ([]deputy.Entry, error) {
	return s.rows(ctx, `WHERE seq < ?`, []any{below(before)}, f, limit)
}

func (s log) rows(ctx context.Context, where string, args []any, f deputy.LogFilter, limit int) (out []deputy.Entry, err error) {
	where, args = narrow(where, args, "conversation", f.Conversation)
	where, args = narrow(where, args, "turn", f.Turn)
	where, args = narrow(where, args, "person_id", f.PersonID)
	where, args = narrow(where, args, "tool", f.Tool)
	where, args = narrow(where, args, "outcome", string(f.Outcome))
	err = s.list(ctx, "log", logColumns+where+` ORDER BY seq DESC LIMIT ?`, append(args, max(limit, 0)), func(row scanner) error {
		e, err := scanEntry(row)
		out = append(out, e)
		return err
	})
	return out, err
}

type settings struct{ *store }

func (s settings) Get(ctx context.Context, name string) (value json.RawMessage, err error) {
	err = s.get(ctx, "setting", `SELECT value FROM deputy_settings WHERE name = ?`, []any{name}, func(row scanner) error {
		var text string
		err := row.Scan(&text)
		value = raw(text)
		return err
	})
	return value, err
}

func (s settings) Put(ctx context.Context, name string, value json.RawMessage) error {
	if !json.Valid(value) {
		return deputy.Errorf(deputy.Invalid, "The value of setting %s is not JSON.", name)
	}
	return s.write(ctx, "setting", func(t tx) error {
		_, err := t.exec(`INSERT INTO deputy_settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, string(value))
		return err
	})
}
