package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"example.com/deputy"
)

type conversations struct{ *store }

func (s conversations) Create(ctx context.Context, as deputy.Person, c deputy.Conversation) error {
	choices, err := json.Marshal(c.Choices)
	if err != nil {
		return err
	}
	return s.write(ctx, "conversation", func(t tx) error {
		_, err := t.exec(`INSERT INTO deputy_conversations (person, id, title, folded, created_at, updated_at, choices) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			as.Key(), c.ID, c.Title, fold(c.Title), micros(c.CreatedAt), micros(c.UpdatedAt), string(choices))
		if taken(err) {
			return deputy.Errorf(deputy.Conflict, "There is a conversation of this id already.")
		}
		return err
	})
}

const conversationColumns = `SELECT seq, id, title, created_at, updated_at, choices FROM deputy_conversations `

func scanConversation(row scanner) (c deputy.Conversation, err error) {
	var created, updated int64
	var choices string
	if err = row.Scan(&c.Seq, &c.ID, &c.Title, &created, &updated, &choices); err != nil {
		return c, err
	}
	c.CreatedAt, c.UpdatedAt = moment(created), moment(updated)
	return c, json.Unmarshal([]byte(choices), &c.Choices)
}

func (s conversations) Get(ctx context.Context, as deputy.Person, id string) (c deputy.Conversation, err error) {
	err = s.get(ctx, "conversation", conversationColumns+`WHERE person = ? AND id = ?`, []any{as.Key(), id}, func(row scanner) (err error) {
		c, err = scanConversation(row)
		return err
	})
	return c, err
}

func (s conversations) List(ctx context.Context, as deputy.Person, term string, before int64, limit int) (out []deputy.Conversation, err error) {
	err = s.list(ctx, "conversations", conversationColumns+`WHERE person = ? AND seq < ? AND instr(folded, ?) > 0 ORDER BY seq DESC LIMIT ?`,
		[]any{as.Key(), below(before), fold(term), max(limit, 0)}, func(row scanner) error {
			c, err := scanConversation(row)
			out = append(out, c)
			return err
		})
	return out, err
}

func (s conversations) Rename(ctx context.Context, as deputy.Person, id, title string) error {
	return s.write(ctx, "conversation", func(t tx) error {
		n, err := t.exec(`UPDATE deputy_conversations SET title = ?, folded = ? WHERE person = ? AND id = ?`, title, fold(title), as.Key(), id)
		if err == nil && n == 0 {
			return missing("conversation")
		}
		return err
	})
}

// Choose reads and writes in one transaction, which no other writer comes between.
func (s conversations) Choose(ctx context.Context, as deputy.Person, id string, choice deputy.Choice) error {
	return s.write(ctx, "conversation", func(t tx) error {
		var kept string
		err := t.get(`SELECT choices FROM deputy_conversations WHERE person = ? AND id = ?`, []any{as.Key(), id}, &kept)
		if errors.Is(err, sql.ErrNoRows) {
			return missing("conversation")
		}
		var choices []deputy.Choice
		if err := errors.Join(err, json.Unmarshal([]byte(kept), &choices)); err != nil {
			return err
		}
		raw, err := json.Marshal(append(slices.DeleteFunc(choices, func(old deputy.Choice) bool {
			return old.Toolset == choice.Toolset && old.Opening == choice.Opening
		}), choice))
		if err != nil {
			return err
		}
		_, err = t.exec(`UPDATE deputy_conversations SET choices = ? WHERE person = ? AND id = ?`, string(raw), as.Key(), id)
		return err
	})
}

// own refuses a conversation that is not the person's, or not there.
func (t tx) own(as deputy.Person, id string) error {
	there, err := t.any(`SELECT 1 FROM deputy_conversations WHERE person = ? AND id = ?`, as.Key(), id)
	if err == nil && !there {
		return missing("conversation")
	}
	return err
}

// any says whether a query finds anything.
func (t tx) any(query string, args ...any) (bool, error) {
	var one int
	err := t.get(query, args, &one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (s conversations) Delete(ctx context.Context, as deputy.Person, id string) error {
	var gone []string
	err := s.write(ctx, "conversation", func(t tx) (err error) {
		if err := t.own(as, id); err != nil {
			return err
		}
		if err := t.idle(as, id); err != nil {
			return err
		}
		gone, err = t.erase(as, id)
		return err
	})
	if err != nil {
		return err
	}
	for _, turn := range gone {
		s.watch.changed(turn)
	}
	return nil
}

// idle refuses a conversation in which something is under way.
func (t tx) idle(as deputy.Person, id string) error {
	running, err := t.any(`SELECT 1 FROM deputy_turns WHERE person = ? AND conversation = ? AND state = 'running'`, as.Key(), id)
	if err != nil {
		return err
	}
	if running {
		return deputy.Errorf(deputy.Conflict, "A turn is running in this conversation. Delete it when the turn has ended, or cancel the turn.")
	}
	confirming, err := t.any(`SELECT 1 FROM deputy_proposals WHERE person = ? AND conversation = ? AND state = 'confirming'`, as.Key(), id)
	if err == nil && confirming {
		return deputy.Errorf(deputy.Conflict, "A proposal of this conversation is being carried out. Delete it when that is done.")
	}
	return err
}

// erase deletes a conversation and all that is in it, and says which turns are gone.
func (t tx) erase(as deputy.Person, id string) (turns []string, err error) {
	err = t.list(`SELECT id FROM deputy_turns WHERE person = ? AND conversation = ?`, []any{as.Key(), id}, func(row scanner) error {
		var turn string
		err := row.Scan(&turn)
		turns = append(turns, turn)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, turn := range turns {
		if _, err := t.exec(`DELETE FROM deputy_events WHERE person = ? AND turn = ?`, as.Key(), turn); err != nil {
			return nil, err
		}
	}
	for _, query := range []string{
		`DELETE FROM deputy_messages WHERE person = ? AND conversation = ?`,
		`DELETE FROM deputy_proposals WHERE person = ? AND conversation = ?`,
		`DELETE FROM deputy_turns WHERE person = ? AND conversation = ?`,
		`DELETE FROM deputy_conversations WHERE person = ? AND id = ?`,
	} {
		if _, err := t.exec(query, as.Key(), id); err != nil {
			return nil, err
		}
	}
	return turns, nil
}

type messages struct{ *store }

func (s messages) Page(ctx context.Context, as deputy.Person, conversation string, after int64, limit int) (out []deputy.Message, err error) {
	if _, err := conversations(s).Get(ctx, as, conversation); err != nil {
		return nil, err
	}
	err = s.list(ctx, "messages", `SELECT seq, role, turn, at, parts FROM deputy_messages WHERE person = ? AND conversation = ? AND seq > ? ORDER BY seq LIMIT ?`,
		[]any{as.Key(), conversation, after, max(limit, 0)}, func(row scanner) error {
			var m deputy.Message
			var at int64
			var parts string
			if err := row.Scan(&m.Seq, &m.Role, &m.Turn, &at, &parts); err != nil {
				return err
			}
			m.At = moment(at)
			m.Parts, err = decodeParts(parts)
			out = append(out, m)
			return err
		})
	return out, err
}

// say numbers messages and stores them.
func (t tx) say(person, conversation string, ms []deputy.Message) error {
	if len(ms) == 0 {
		return nil
	}
	var last int64
	if err := t.get(`SELECT coalesce(max(seq), 0) FROM deputy_messages WHERE person = ? AND conversation = ?`, []any{person, conversation}, &last); err != nil {
		return err
	}
	for i, m := range ms {
		parts, err := encodeParts(m.Parts)
		if err != nil {
			return err
		}
		if _, err := t.exec(`INSERT INTO deputy_messages (person, conversation, seq, role, turn, at, parts) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			person, conversation, last+int64(i)+1, string(m.Role), m.Turn, micros(m.At), parts); err != nil {
			return err
		}
	}
	return nil
}
