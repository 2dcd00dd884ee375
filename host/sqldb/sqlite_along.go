package sqldb

import (
	"context"
	"database/sql"
	"strings"

	"example.com/deputy/query"
)

// verbatim: SQLite keeps what it is given, or what the column's affinity makes of it.
func (db *sqlite) verbatim(*column) bool { return true }

// orFail: a table can say of its constraints that they replace other rows or leave the new one out. It is not said of a table that does
// not, since it would also hold for what its triggers do.
func (db *sqlite) orFail(ctx context.Context, q querier, t *table) (string, error) {
	made, err := collect(ctx, q, `SELECT coalesce(sql, '') FROM sqlite_schema WHERE type = 'table' AND name = ?`,
		func(rows *sql.Rows) (text string, err error) { return text, rows.Scan(&text) }, t.name)
	for _, text := range made {
		ts := tokens(text)
		for i := 1; i < len(ts); i++ {
			if ts[i-1].word("ON") && ts[i].word("CONFLICT") {
				return " OR ABORT", err
			}
		}
	}
	return "", err
}

type sqliteFollower struct {
	child, from string
	id, at      int
	to          sql.NullString
}

func (db *sqlite) followers(ctx context.Context, q querier, t *table) ([]follower, error) {
	parts, err := collect(ctx, q, `SELECT m.name, f.id, f.seq, f."from", f."to" FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
		WHERE m.type = 'table' AND f."table" = ? COLLATE NOCASE AND f.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT') ORDER BY m.name, f.id, f.seq`,
		func(rows *sql.Rows) (p sqliteFollower, err error) {
			return p, rows.Scan(&p.child, &p.id, &p.at, &p.from, &p.to)
		}, t.name)
	var out []follower
	for start := 0; start < len(parts); {
		end := start + 1
		for end < len(parts) && parts[end].child == parts[start].child && parts[end].id == parts[start].id {
			end++
		}
		out = append(out, sqliteLink(t, parts[start:end]))
		start = end
	}
	return out, err
}

// sqliteLink writes the comparison as SQLite's own actions do: with the parent's column on the left, it is made in that one's collation
// and affinity.
func sqliteLink(t *table, parts []sqliteFollower) follower {
	f := follower{rows: quote(parts[0].child)}
	var all []func(string) string
	for _, p := range parts {
		to := p.to.String
		if !p.to.Valid && p.at < len(t.key) {
			to = t.key[p.at]
		}
		f.hidden = f.hidden || to == ""
		all = append(all, func(parent string) string { return parent + "." + quote(to) + " = child." + quote(p.from) })
	}
	var itself func(string) string
	if strings.EqualFold(parts[0].child, t.name) {
		itself = func(parent string) string {
			var same []string
			for _, name := range t.key {
				same = append(same, parent+"."+quote(name)+" IS child."+quote(name))
			}
			return strings.Join(same, " AND ")
		}
	}
	f.link = links(all, itself)
	return f
}

func (db *sqlite) returning() bool { return true }

// wrote is for engines whose statements cannot give back what they wrote.
func (db *sqlite) wrote(context.Context, session, *statement) ([][]query.Value, error) {
	return nil, nil
}
