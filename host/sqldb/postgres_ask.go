package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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
// ever answered where something could be written, nor without its limits. Where a connection of the pool has died, the question is asked again, once,
// step by step.
func (db *postgres) ask(ctx context.Context, text string, args []any, outs []output) ([][]query.Value, error) {
	sent, formats, ok := asSent(args)
	if !ok {
		return askInSteps(ctx, db, text, args, outs)
	}
	conn, err := db.reads.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var batch pgconn.Batch
	batch.ExecParams(beginReading, nil, nil, nil, nil)
	batch.ExecParams(db.session+db.limits(ctx), nil, nil, nil, nil)
	batch.ExecParams(text, sent, nil, formats, nil)
	batch.ExecParams("ROLLBACK", nil, nil, nil, nil)
	rows, err := db.transact(ctx, conn, &batch, outs)
	if err = errors.Join(err, conn.Close()); err != nil && ctx.Err() == nil && db.fault(err) == lost {
		return askInSteps(ctx, db, text, args, outs)
	}
	return rows, err
}

// transact gives what the third statement of four answers. After an error the transaction is still open.
func (db *postgres) transact(ctx context.Context, conn *sql.Conn, batch *pgconn.Batch, outs []output) (rows [][]query.Value, err error) {
	err = conn.Raw(func(c any) error {
		under, ok := c.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("a connection of type %T", c)
		}
		results := under.Conn().PgConn().ExecBatch(ctx, batch)
		for n := 1; results.NextResult(); n++ {
			if n == 3 {
				rows, err = read(results.ResultReader(), outs)
			}
			_, failed := results.ResultReader().Close()
			err = errors.Join(err, failed)
		}
		return errors.Join(err, results.Close())
	})
	if err != nil {
		return nil, errors.Join(err, db.rollback(context.WithoutCancel(ctx), conn))
	}
	return rows, nil
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
