package offline_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the renamed copy is made with it

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/provider/offline"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/kernel"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
)

// shop is a whole assistant over a database, with the offline model.
type shop struct {
	door *deputy.Door
	db   *sql.DB // beside the assistant: what is right
}

// heard is what a person got.
type heard struct {
	conversation string
	text         string
	calls        []deputy.ToolCall
	failed       []string          // results that were errors
	results      map[string]string // by call id
	displays     []json.RawMessage
	proposals    []deputy.Proposal
}

func open(t testing.TB, path string) *shop {
	t.Helper()
	return openAt(t, path, time.Date(2013, 12, 15, 12, 0, 0, 0, time.UTC))
}

// openAt opens an assistant whose clock stands still; adjust has the last word on what it is made of.
func openAt(t testing.TB, path string, now time.Time, adjust ...func(*sqldb.Host, *deputy.Config)) *shop {
	t.Helper()
	host, err := sqldb.Open(t.Context(), sqldb.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	all := deputy.Fields{All: true}
	config := deputy.Config{
		Host: host, Models: []deputy.Model{offline.New()}, Store: memory.New(),
		Toolsets: []deputy.Toolset{records.New(records.Config{}), analysis.New(), present.New(), kernel.New()},
		Policy: deputy.Policy{Roles: map[string]deputy.Role{"all": {Tools: []string{"*"},
			Tables: map[string]deputy.Access{"*": {Read: all, Create: all, Update: all, Delete: true}}}}},
		Clock:  func() time.Time { return now },
		Limits: deputy.Limits{TurnsPerMinute: -1},
	}
	for _, change := range adjust {
		change(host, &config)
	}
	a, err := deputy.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, err := range []error{a.Close(), host.Close(), db.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return &shop{a.Door(deputy.Chat), db}
}

// ask plays a turn; conversation is empty for a new one.
func (s *shop) ask(t testing.TB, conversation, text string) heard {
	t.Helper()
	who := deputy.Caller{Person: deputy.Person{Issuer: "token", ID: "p", Roles: []string{"all"}}, Confirm: true}
	out := heard{conversation: conversation, results: map[string]string{}}
	turn := ""
	for e, err := range s.door.Turn(t.Context(), who, deputy.TurnInput{Conversation: conversation, Text: text}) {
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		switch e.Name {
		case deputy.EventTurnStarted:
			started := unpack[deputy.TurnStarted](t, e)
			out.conversation, turn = started.Conversation, started.Turn
		case deputy.EventDisplay:
			out.displays = append(out.displays, unpack[deputy.Shows](t, e).View)
		case deputy.EventTurnFinished:
			f := unpack[deputy.TurnFinished](t, e)
			if out.text = f.Text; f.Reason != deputy.Answered {
				t.Fatalf("%q ended as %s", text, f.Reason)
			}
		}
	}
	ms, err := s.door.Messages(t.Context(), who, out.conversation, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range ms {
		for _, p := range m.Parts {
			if p.Call != nil && m.Turn == turn {
				out.calls = append(out.calls, *p.Call)
			}
			if p.Result != nil {
				out.results[p.Result.Ref] = p.Result.Text
			}
			if p.Result != nil && m.Turn == turn && strings.HasPrefix(p.Result.Text, "Error:") {
				out.failed = append(out.failed, p.Result.Text)
			}
		}
	}
	if out.proposals, err = s.door.Proposals(context.WithoutCancel(t.Context()), who, deputy.ProposalFilter{Turn: turn}, 0, 10); err != nil {
		t.Fatal(err)
	}
	return out
}

func unpack[T any](t testing.TB, e deputy.Event) T {
	t.Helper()
	var out T
	if err := json.Unmarshal(e.Data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// figure is what the database says to a query of one cell.
func (s *shop) figure(t testing.TB, query string) string {
	t.Helper()
	var out string
	if err := s.db.QueryRowContext(t.Context(), query).Scan(&out); err != nil {
		t.Fatal(query, err)
	}
	return out
}

// chinook is a copy of the sample database of a music shop.
func chinook(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("../../../shared/data/chinook/Chinook_Sqlite.sqlite")
	if err != nil {
		t.Skip("the Chinook sample is not here: ", err)
	}
	path := filepath.Join(t.TempDir(), "chinook.sqlite")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// renamed is the sample with every table and every column under a made-up name; names maps old ones to new ones.
func renamed(t testing.TB) (path string, names map[string]string) {
	t.Helper()
	path, names = chinook(t), map[string]string{}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	tables := texts(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
	for _, table := range tables {
		for _, column := range texts(t, db, "SELECT name FROM pragma_table_info('"+table+"') ORDER BY cid") {
			names[table+"."+column] = invent(len(names))
			rename(t, db, "ALTER TABLE ["+table+"] RENAME COLUMN ["+column+"] TO "+names[table+"."+column])
		}
		names[table] = invent(len(names)) + "rp"
		rename(t, db, "ALTER TABLE ["+table+"] RENAME TO "+names[table])
	}
	return path, names
}

func rename(t testing.TB, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(statement, err)
	}
}

// invent makes a word that no language has, another for each number.
func invent(n int) string {
	return string("bdfgklmnprtvz"[n%13]) + string("aeiou"[n/13%5]) + string("xqjwhc"[n/65%6]) + string("aeiou"[n%5]) + "mb"
}

func texts(t testing.TB, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}
