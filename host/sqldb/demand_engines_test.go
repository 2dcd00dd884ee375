package sqldb_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/deputy/host/sqldb"
)

// TestDemandsAreOffered: what a schema demands of a record is offered, in names of the language, alike by every engine.
func TestDemandsAreOffered(t *testing.T) {
	t.Parallel()
	const columns = `(id INT PRIMARY KEY, %sSeat No%s INT, room VARCHAR(10), quantity INT NOT NULL DEFAULT 1 CHECK (quantity > 0), small SMALLINT, price NUMERIC(6,2), begins DATE, ends DATE,
		code VARCHAR(20), CHECK (ends IS NULL OR ends >= begins), CHECK (price BETWEEN 0 AND 500 AND %s(room) >= 2), UNIQUE (room, %sSeat No%s))`
	table := func(length string) string {
		return "CREATE TABLE places " + fmt.Sprintf(columns, `"`, `"`, length, `"`, `"`)
	}
	for name, open := range map[string]func() *sqldb.Host{
		"sqlite":   func() *sqldb.Host { return shop(t, table("length")) },
		"postgres": func() *sqldb.Host { return server(t, table("char_length")) },
		"mariadb":  func() *sqldb.Host { return mariaServer(t, table("char_length")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open()
			of := tableOf(t, h, "places")
			var rules []string
			for _, c := range of.Checks {
				rules = append(rules, fmt.Sprint(c.Fields, c.Rule))
			}
			want := []string{"[quantity]quantity > 0", "[ends begins](ends == null || ends >= begins)", "[price](price >= 0 && price <= 500)", "[room]length(room) >= 2"}
			if name == "postgres" { // it writes a BETWEEN as two
				want = append(want[:2], "[price]price >= 0", "[price]price <= 500", "[room]length(room) >= 2")
			}
			slices.Sort(rules)
			slices.Sort(want)
			wantList(t, "checks", rules, want)
			if got := fmt.Sprint(of.Unique); got != "[[room seat_no]]" {
				t.Errorf("unique: %s", got)
			}
			quantity, _ := of.Field("quantity")
			small, _ := of.Field("small")
			price, _ := of.Field("price")
			if !quantity.NotNull || quantity.Required {
				t.Errorf("%+v", quantity)
			}
			bounds := fmt.Sprint(small.Min, small.Max, price.Min, price.Max)
			if want := "-32768 32767 -9999.99 9999.99"; name != "sqlite" && fmt.Sprint(small.Min, " ", small.Max, " ", price.Min, " ", price.Max) != want || name == "sqlite" && bounds != "" {
				t.Errorf("bounds: %s", bounds)
			}
		})
	}
}
