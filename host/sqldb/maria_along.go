package sqldb

import (
	"context"
	"database/sql"
	"strings"
)

type mariaFollower struct{ space, table, name, from, to string }

// followers asks for the foreign keys by which rows would go or change along. The record is locked: a row that comes to refer to it meanwhile,
// by a foreign key old or new, waits for that lock. What the server does not show this account may be there.
func (db *maria) followers(ctx context.Context, q querier, t *table) ([]follower, error) {
	parts, err := collect(ctx, q, `SELECT k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_COLUMN_NAME
		FROM information_schema.KEY_COLUMN_USAGE k JOIN information_schema.REFERENTIAL_CONSTRAINTS r
		ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
		WHERE k.REFERENCED_TABLE_SCHEMA = DATABASE() AND k.REFERENCED_TABLE_NAME = `+db.mark(1)+` AND r.DELETE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
		ORDER BY k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION`,
		func(rows *sql.Rows) (p mariaFollower, err error) {
			return p, rows.Scan(&p.space, &p.table, &p.name, &p.from, &p.to)
		}, t.name)
	if err != nil {
		return nil, err
	}
	here, err := db.seesAll(ctx, q)
	if err != nil {
		return nil, err
	}
	var out []follower
	if !here {
		out = append(out, follower{hidden: true})
	}
	for start := 0; start < len(parts); {
		end := start + 1
		for end < len(parts) && parts[end].space == parts[start].space && parts[end].table == parts[start].table && parts[end].name == parts[start].name {
			end++
		}
		out = append(out, db.link(t, parts[start:end]))
		start = end
	}
	return out, nil
}

// seesAll says whether this account has a right on the whole database, or on all: else there may be tables that it is not told of.
func (db *maria) seesAll(ctx context.Context, q querier) (bool, error) {
	const host = `SUBSTRING_INDEX(CURRENT_USER(), '@', -1)`
	const mine = `(GRANTEE = CONCAT('''', LEFT(CURRENT_USER(), CHAR_LENGTH(CURRENT_USER()) - CHAR_LENGTH(` + host + `) - 1), '''@''', ` + host + `, '''') OR GRANTEE LIKE CONCAT('''', CURRENT_ROLE(), '''%'))`
	found, err := collect(ctx, q, `SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE = 'SELECT' AND `+mine+`
		UNION ALL SELECT 1 FROM information_schema.SCHEMA_PRIVILEGES WHERE PRIVILEGE_TYPE = 'SELECT' AND DATABASE() LIKE TABLE_SCHEMA ESCAPE '\' AND `+mine+` LIMIT 1`,
		func(rows *sql.Rows) (n int, err error) { return n, rows.Scan(&n) })
	return len(found) > 0, err
}

// link writes the comparison as the server makes it: in the columns' own collation.
func (db *maria) link(t *table, parts []mariaFollower) follower {
	f := follower{rows: quote(parts[0].space) + "." + quote(parts[0].table)}
	var all []func(string) string
	for _, p := range parts {
		all = append(all, func(parent string) string { return parent + "." + quote(p.to) + " = child." + quote(p.from) })
	}
	var itself func(string) string
	if parts[0].table == t.name {
		itself = func(parent string) string {
			var same []string
			for _, name := range t.key {
				same = append(same, parent+"."+quote(name)+" <=> child."+quote(name))
			}
			return strings.Join(same, " AND ")
		}
	}
	f.link = links(all, itself)
	return f
}
