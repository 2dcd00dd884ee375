package sqldb

import (
	"context"
	"database/sql"
	"fmt"

	"example.com/deputy/query"
)

// verbatim: of other types the server writes its own form of a text, and a secret may be kept as something else on purpose.
func (db *postgres) verbatim(col *column) bool {
	switch col.field.Type {
	case query.Int, query.Dec, query.Bool, query.Date, query.Timestamp:
		return true
	}
	return col.field.Type == query.String && textual(col) && !col.field.Secret
}

func (db *postgres) orFail(context.Context, querier, *table) (string, error) { return "", nil }

type postgresFollower struct {
	id              uint32
	rows            string // of the child
	itself, hidden  bool
	to, from        string
	operator        string
	toType, fromTyp string // to cast to; empty: none
	collation       string // to compare in, where the columns have different ones
}

// followers first holds the table as its DELETE will, so that no foreign key is added to it any more.
func (db *postgres) followers(ctx context.Context, q querier, t *table) ([]follower, error) {
	if _, err := lines(ctx, q, "LOCK TABLE "+db.table(t)+" IN ROW EXCLUSIVE MODE", nil, nil); err != nil {
		return nil, err
	}
	parts, err := collect(ctx, q, followersSQL, func(rows *sql.Rows) (p postgresFollower, err error) {
		return p, rows.Scan(&p.id, &p.rows, &p.itself, &p.hidden, &p.to, &p.from, &p.operator, &p.toType, &p.fromTyp, &p.collation)
	}, db.table(t))
	var out []follower
	for start := 0; start < len(parts); {
		end := start + 1
		for end < len(parts) && parts[end].id == parts[start].id {
			end++
		}
		out = append(out, postgresLink(parts[start:end]))
		start = end
	}
	return out, err
}

// followersSQL lists the columns of the foreign keys that lead to a table, its partitions or what inherits from it, with the operator
// that the server itself compares them by. Rows that a policy hides from this role follow all the same.
const followersSQL = `WITH RECURSIVE parents AS (SELECT $1::text::regclass::oid AS oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN parents p ON i.inhparent = p.oid)
	SELECT k.oid, CASE child.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END || quote_ident(space.nspname) || '.' || quote_ident(child.relname),
		k.conrelid = k.confrelid OR k.conrelid IN (SELECT oid FROM parents), row_security_active(k.conrelid), pa.attname, ca.attname,
		quote_ident(os.nspname) || '.' || o.oprname,
		CASE WHEN lt.typtype = 'p' OR o.oprleft = pa.atttypid THEN '' ELSE format_type(o.oprleft, NULL) END,
		CASE WHEN rt.typtype = 'p' OR o.oprright = ca.atttypid THEN '' ELSE format_type(o.oprright, NULL) END,
		CASE WHEN pa.attcollation = ca.attcollation OR pc.oid IS NULL THEN '' ELSE quote_ident(ps.nspname) || '.' || quote_ident(pc.collname) END
	FROM pg_constraint k
	JOIN pg_class child ON child.oid = k.conrelid JOIN pg_namespace space ON space.oid = child.relnamespace
	CROSS JOIN LATERAL unnest(k.conkey, k.confkey, k.conpfeqop) WITH ORDINALITY AS x(c, p, op, n)
	JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = x.c JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = x.p
	JOIN pg_operator o ON o.oid = x.op JOIN pg_namespace os ON os.oid = o.oprnamespace JOIN pg_type lt ON lt.oid = o.oprleft JOIN pg_type rt ON rt.oid = o.oprright
	LEFT JOIN pg_collation pc ON pc.oid = pa.attcollation LEFT JOIN pg_namespace ps ON ps.oid = pc.collnamespace
	WHERE k.contype = 'f' AND k.confdeltype IN ('c', 'n', 'd') AND k.conparentid = 0 AND k.confrelid IN (SELECT oid FROM parents)
	ORDER BY k.oid, x.n`

func postgresLink(parts []postgresFollower) follower {
	f := follower{rows: parts[0].rows, hidden: parts[0].hidden}
	var all []func(string) string
	for _, p := range parts {
		right := cast("child."+quote(p.from), p.fromTyp)
		if p.collation != "" {
			right += " COLLATE " + p.collation
		}
		all = append(all, func(parent string) string {
			return fmt.Sprintf("%s OPERATOR(%s) %s", cast(parent+"."+quote(p.to), p.toType), p.operator, right)
		})
	}
	var itself func(string) string
	if parts[0].itself {
		itself = func(parent string) string {
			return parent + ".ctid = child.ctid AND " + parent + ".tableoid = child.tableoid"
		}
	}
	f.link = links(all, itself)
	return f
}

func cast(text, typ string) string {
	if typ == "" {
		return text
	}
	return "(" + text + ")::" + typ
}

func (db *postgres) returning() bool { return true }

// wrote is for engines whose statements cannot give back what they wrote.
func (db *postgres) wrote(context.Context, session, *statement) ([][]query.Value, error) {
	return nil, nil
}
