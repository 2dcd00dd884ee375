package deputy_test

import (
	"database/sql"
	"os"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that loads the shop

	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/pgtest"
)

// TestChinookOnPostgres: the same answers, refusals and writes as over SQLite.
func TestChinookOnPostgres(t *testing.T) {
	t.Parallel()
	file := chinookFile(t)
	script, err := os.ReadFile("../shared/data/chinook/Chinook_PostgreSql.sql")
	if err != nil {
		t.Skip("the Chinook sample is not here: ", err)
	}
	_, text, _ := strings.Cut(string(script), `\c chinook;`)
	url := pgtest.Database(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec(text); err != nil {
		t.Fatal(err)
	}
	s := chinookOver(t, sqldb.Config{URL: url}, file)
	s.threePeople(t)
	s.nothingShines(t)
	s.confirmOnce(t, func() int {
		return numbers(t, db, `SELECT count(*) FROM customer WHERE customer_id = 1 AND phone = '+55 1'`)
	})
}
