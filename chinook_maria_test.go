package deputy_test

import (
	"database/sql"
	"testing"

	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/copytest"
	"example.com/deputy/internal/mariatest"
)

// chinookOnMaria is the music shop on MariaDB, copied from its file.
func chinookOnMaria(t *testing.T, file string) (url string, db *sql.DB) {
	t.Helper()
	url = mariatest.Database(t)
	db = mariatest.Open(t, url)
	from, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	copytest.Copy(t, from, db, copytest.Maria())
	return url, db
}

// TestChinookOnMaria: the same answers, refusals and writes as over SQLite.
func TestChinookOnMaria(t *testing.T) {
	t.Parallel()
	file := chinookFile(t)
	url, db := chinookOnMaria(t, file)
	s := chinookOver(t, sqldb.Config{URL: url}, file)
	s.threePeople(t)
	s.nothingShines(t)
	s.confirmOnce(t, func() int {
		return numbers(t, db, `SELECT count(*) FROM Customer WHERE CustomerId = 1 AND Phone = '+55 1'`)
	})
}

func TestChinookAnalysesOnMaria(t *testing.T) {
	t.Parallel()
	file := chinookFile(t)
	url, _ := chinookOnMaria(t, file)
	s := analysts(t, sqldb.Config{URL: url}, file)
	s.analyses(t)
	s.ownFigures(t)
}
