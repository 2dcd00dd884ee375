package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.com/deputy"
)

type attempts struct{ *store }

// swept is how many that have expired are forgotten at a time.
const swept = 100

func (s attempts) Begin(ctx context.Context, as deputy.Person, a deputy.Attempt, now time.Time) (stands deputy.Attempt, mine bool, err error) {
	err = s.write(ctx, "attempt", func(t tx) (err error) {
		if _, err := t.exec(`DELETE FROM deputy_attempts WHERE (person, key) IN
			(SELECT person, key FROM deputy_attempts WHERE expires <= ? ORDER BY expires LIMIT ?)`, micros(now), swept); err != nil {
			return err
		}
		stands, mine, err = t.begin(as.Key(), a, now)
		return err
	})
	return stands, mine, err
}

// begin stores an attempt, or takes over the one that stands, or tells of it.
func (t tx) begin(person string, a deputy.Attempt, now time.Time) (stands deputy.Attempt, mine bool, err error) {
	var until, expires int64
	err = t.get(`SELECT key, body, id, done, epoch, until, expires FROM deputy_attempts WHERE person = ? AND key = ? AND expires > ?`,
		[]any{person, a.Key, micros(now)}, &stands.Key, &stands.Body, &stands.ID, &stands.Done, &stands.Epoch, &until, &expires)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = t.exec(`INSERT OR REPLACE INTO deputy_attempts (person, key, body, id, done, epoch, until, expires) VALUES (?, ?, ?, ?, 0, 1, ?, ?)`,
			person, a.Key, a.Body, a.ID, micros(a.Until), micros(a.Expires))
		a.Done, a.Epoch, a.Until, a.Expires = false, 1, moment(micros(a.Until)), moment(micros(a.Expires))
		return a, true, err
	case err != nil:
		return stands, false, err
	case !stands.Done && stands.Body == a.Body && until <= micros(now):
		mine, until = true, micros(a.Until)
		stands.Epoch++
		_, err = t.exec(`UPDATE deputy_attempts SET epoch = ?, until = ? WHERE person = ? AND key = ?`, stands.Epoch, until, person, a.Key)
	}
	stands.Until, stands.Expires = moment(until), moment(expires)
	return stands, mine, err
}

func (s attempts) End(ctx context.Context, as deputy.Person, a deputy.Attempt) error {
	return s.worked(ctx, as, a, `UPDATE deputy_attempts SET done = ?, until = ?`, a.Done, micros(time.Time{}))
}

func (s attempts) Forget(ctx context.Context, as deputy.Person, a deputy.Attempt) error {
	return s.worked(ctx, as, a, `DELETE FROM deputy_attempts`)
}

// worked does something to an attempt for who works on it.
func (s attempts) worked(ctx context.Context, as deputy.Person, a deputy.Attempt, do string, args ...any) error {
	return s.write(ctx, "attempt", func(t tx) error {
		_, err := t.exec(do+` WHERE person = ? AND key = ? AND id = ? AND epoch = ? AND NOT done`, append(args, as.Key(), a.Key, a.ID, a.Epoch)...)
		return err
	})
}
