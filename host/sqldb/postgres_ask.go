package sqldb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"example.com/deputy/query"
)

// beginReading starts a transaction that cannot write.
const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// ask sends a whole transaction at once: its begin, its settings, the question, its end. What fails ends all that follows, so that no question is
// ever answered where something could be written, nor without its limits. Where a connection of the pool has died, or its statements are not there any
// more, the question is asked again, once, step by step.
func (db *postgres) ask(ctx context.Context, q question) ([][]query.Value, error) {
	sent, formats, ok := asSent(q.args)
	if !ok {
		return askInSteps(ctx, db, q)
	}
	conn, err := db.reads.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]query.Value
	err = conn.Raw(func(c any) (err error) {
		under, ok := c.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("a connection of type %T", c)
		}
		rows, err = db.transact(ctx, under.Conn().PgConn(), q, sent, formats)
		return err
	})
	if err != nil { // what was begun is still open
		err = errors.Join(err, db.rollback(context.WithoutCancel(ctx), conn))
	}
	if err = errors.Join(err, conn.Close()); err == nil || ctx.Err() != nil {
		return rows, err
	}
	if db.unprepared(err) || db.fault(err) == lost {
		return askInSteps(ctx, db, q)
	}
	return nil, err
}

func (db *postgres) transact(ctx context.Context, conn *pgconn.PgConn, q question, sent [][]byte, formats []int16) (rows [][]query.Value, err error) {
	p := conn.StartPipeline(ctx)
	kept := keptBy(conn)
	p.SendQueryParams(beginReading, nil, nil, nil, nil)
	db.send(p, kept, db.session, db.limits(ctx), nil)
	if q.often {
		db.send(p, kept, q.text, sent, formats)
	} else {
		p.SendQueryParams(q.text, sent, nil, formats, nil)
	}
	p.SendQueryParams("ROLLBACK", nil, nil, nil, nil)
	kept.shrink(p)
	err = p.Sync()
	for n := 0; err == nil; {
		var result any
		if result, err = p.GetResults(); err != nil || result == nil {
			break
		}
		if r, ok := result.(*pgconn.ResultReader); ok {
			if n++; n == 3 {
				rows, err = read(r, q.outs)
			}
			if _, failed := r.Close(); err == nil {
				err = failed
			}
		}
	}
	if closed := p.Close(); err == nil {
		err = closed
	}
	if err != nil {
		kept.doubt(context.WithoutCancel(ctx), conn, db.unprepared(err))
	}
	return rows, err
}

// send runs a statement that is prepared, and prepares it where it is not.
func (db *postgres) send(p *pgconn.Pipeline, kept *serverStatements, text string, args [][]byte, formats []int16) {
	if db.unnamed.Load() || len(text) > longestKept {
		p.SendQueryParams(text, args, nil, formats, nil)
		return
	}
	name, ok := kept.use(text)
	if !ok {
		p.SendPrepare(name, text, nil)
	}
	p.SendQueryPrepared(name, args, formats, nil)
}

// unprepared says whether an error means that a statement is not there, is there already, or no longer fits. But for the last, something stands
// between that gives one session's statements to another: from then on none is kept.
func (db *postgres) unprepared(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	if e.Code == "26000" || e.Code == "42P05" {
		db.unnamed.Store(true)
		return true
	}
	return e.Code == "0A000"
}

// serverStatements are those that one session of the server keeps prepared, the last used at the end. A name is made of the whole text, so that it
// never stands for another's statement.
type serverStatements struct{ names, fresh []string } // fresh: by the last question

// keptBy finds those of a connection.
func keptBy(conn *pgconn.PgConn) *serverStatements {
	const key = "deputy"
	kept, ok := conn.CustomData()[key].(*serverStatements)
	if !ok {
		kept = &serverStatements{}
		conn.CustomData()[key] = kept
	}
	kept.fresh = nil
	return kept
}

// use names a statement; false where it is still to be prepared.
func (k *serverStatements) use(text string) (name string, ok bool) {
	sum := sha256.Sum256([]byte(text))
	name = "assistant_" + hex.EncodeToString(sum[:16])
	if i := slices.Index(k.names, name); i >= 0 {
		k.names, ok = slices.Delete(k.names, i, i+1), true
	} else {
		k.fresh = append(k.fresh, name)
	}
	k.names = append(k.names, name)
	return name, ok
}

// shrink ends those that were not used for the longest.
func (k *serverStatements) shrink(p *pgconn.Pipeline) {
	for len(k.names) > mostKept {
		p.SendDeallocate(k.names[0])
		k.names = k.names[1:]
	}
}

// doubt ends those of which it is not known whether they are there: the last ones, or all. To end one that is not there is no error.
func (k *serverStatements) doubt(ctx context.Context, conn *pgconn.PgConn, all bool) {
	if all {
		k.fresh = slices.Clone(k.names)
	}
	for _, name := range k.fresh {
		if conn.IsClosed() {
			return
		}
		_ = conn.Deallocate(ctx, name) // only a connection that is gone fails
	}
	k.names = slices.DeleteFunc(k.names, func(name string) bool { return slices.Contains(k.fresh, name) })
}

// read reads rows as texts.
func read(r *pgconn.ResultReader, outs []output) (out [][]query.Value, err error) {
	for fields := r.FieldDescriptions(); err == nil && r.NextRow(); {
		line := make([]query.Value, len(outs))
		for i, raw := range r.Values()[:len(outs)] {
			var v any
			if v, err = fromText(raw, fields[i].DataTypeOID); err != nil {
				break
			}
			line[i] = outs[i].read(v)
		}
		out = append(out, line)
	}
	return out, err
}

// fromText is a value as it comes from database/sql: everything that is asked for is a boolean, a bigint or a text.
func fromText(raw []byte, kind uint32) (any, error) {
	switch {
	case raw == nil:
		return nil, nil
	case kind == pgtype.BoolOID:
		return string(raw) == "t", nil
	case kind == pgtype.Int8OID:
		return strconv.ParseInt(string(raw), 10, 64)
	}
	return string(raw), nil
}

// mostArguments is how many the protocol can count.
const mostArguments = 65535

// asSent writes arguments without asking the server what it takes them for: each stands in the statement with its type. False where one is of a
// type that none has.
func asSent(args []any) (sent [][]byte, formats []int16, ok bool) {
	sent, formats = make([][]byte, len(args)), make([]int16, len(args))
	for i, arg := range args {
		var err error
		switch x := arg.(type) {
		case string:
			sent[i] = append(make([]byte, 0, len(x)), x...) // nil would be NULL
		case int64:
			sent[i] = strconv.AppendInt(nil, x, 10)
		case []time.Time:
			formats[i] = pgtype.BinaryFormatCode
			sent[i], err = pgtype.NewMap().Encode(pgtype.TimestampArrayOID, pgtype.BinaryFormatCode, x, nil)
		case []int32:
			formats[i] = pgtype.BinaryFormatCode
			sent[i], err = pgtype.NewMap().Encode(pgtype.Int4ArrayOID, pgtype.BinaryFormatCode, x, nil)
		default:
			return nil, nil, false
		}
		if err != nil {
			return nil, nil, false
		}
	}
	return sent, formats, len(args) <= mostArguments
}
