package deputy_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/pgtest"
	"example.com/deputy/toolset/analysis"
)

// figure is a question, the call of analyze_records that answers it, and the statement, written by hand, that says what is right.
type figure struct{ question, arguments, truth string }

// figures are questions that a music shop asks of its data.
func figures() []figure {
	return []figure{
		{"How many customers are there?", `{"table":"customer","measures":[{"as":"n","expr":"count()"}]}`, `SELECT count(*) FROM Customer`},
		{"How many customers work for a company?", `{"table":"customer","measures":[{"as":"n","expr":"count(company)"}]}`, `SELECT count(Company) FROM Customer`},
		{"From how many countries do customers come?", `{"table":"customer","measures":[{"as":"n","expr":"count_distinct(country)"}]}`, `SELECT count(DISTINCT Country) FROM Customer`},
		{"Which countries do customers come from?", `{"table":"customer","group_by":["country"]}`, `SELECT DISTINCT Country FROM Customer ORDER BY 1`},
		{"What is the revenue?", `{"table":"invoice","measures":[{"as":"revenue","expr":"sum(total)"}]}`, `SELECT printf('%.2f', sum(Total)) FROM Invoice`},
		{"What is the average invoice, and the smallest and largest?", `{"table":"invoice","measures":[{"as":"mean","expr":"round(avg(total), 2)"},{"as":"least","expr":"min(total)"},{"as":"most","expr":"max(total)"}]}`,
			`SELECT printf('%.2f', avg(Total)), printf('%.2f', min(Total)), printf('%.2f', max(Total)) FROM Invoice`},
		{"When were the first and the last invoice?", `{"table":"invoice","measures":[{"as":"first","expr":"min(date(invoice_date))"},{"as":"last","expr":"max(date(invoice_date))"}]}`,
			`SELECT date(min(InvoiceDate)), date(max(InvoiceDate)) FROM Invoice`},
		{"Customers by country", `{"table":"customer","group_by":["country"],"measures":[{"as":"n","expr":"count()"}],"order_by":["n desc"]}`,
			`SELECT Country, count(*) FROM Customer GROUP BY Country ORDER BY 2 DESC, 1`},
		{"Countries with more than three customers", `{"table":"customer","group_by":["country"],"measures":[{"as":"n","expr":"count()"}],"having":"n > 3","order_by":["n desc"]}`,
			`SELECT Country, count(*) FROM Customer GROUP BY Country HAVING count(*) > 3 ORDER BY 2 DESC, 1`},
		{"Top ten countries by revenue", `{"table":"invoice","group_by":["billing_country"],"measures":[{"as":"revenue","expr":"sum(total)"}],"order_by":["revenue desc"],"limit":10}`,
			`SELECT BillingCountry, printf('%.2f', sum(Total)) FROM Invoice GROUP BY 1 ORDER BY round(sum(Total), 2) DESC, 1 LIMIT 10`},
		{"Which country has the highest average invoice?", `{"table":"invoice","group_by":["customer.country"],"order_by":["avg(total) desc"],"limit":1}`,
			`SELECT Country FROM Invoice JOIN Customer USING (CustomerId) GROUP BY 1 ORDER BY round(avg(Total), 9) DESC, 1 LIMIT 1`},
		{"Revenue by year", `{"table":"invoice","group_by":["year(invoice_date)"],"measures":[{"as":"revenue","expr":"sum(total)"}]}`,
			`SELECT strftime('%Y-01-01', InvoiceDate), printf('%.2f', sum(Total)) FROM Invoice GROUP BY 1 ORDER BY 1`},
		{"Revenue and invoices by month of the first year", `{"table":"invoice","where":"year_of(invoice_date) == 2021","group_by":["month(invoice_date)"],"measures":[{"as":"revenue","expr":"sum(total)"},{"as":"n","expr":"count()"}]}`,
			`SELECT strftime('%Y-%m-01', InvoiceDate), printf('%.2f', sum(Total)), count(*) FROM Invoice WHERE strftime('%Y', InvoiceDate) = '2021' GROUP BY 1 ORDER BY 1`},
		{"Which month of the year sells best?", `{"table":"invoice","group_by":["month_of_year(invoice_date)"],"measures":[{"as":"revenue","expr":"sum(total)"}],"order_by":["revenue desc"],"limit":1}`,
			`SELECT CAST(strftime('%m', InvoiceDate) AS INTEGER), printf('%.2f', sum(Total)) FROM Invoice GROUP BY 1 ORDER BY round(sum(Total), 2) DESC, 1 LIMIT 1`},
		{"Invoices by weekday", `{"table":"invoice","group_by":["weekday(invoice_date)"],"measures":[{"as":"n","expr":"count()"}]}`,
			`SELECT (CAST(strftime('%w', InvoiceDate) AS INTEGER) + 6) % 7 + 1, count(*) FROM Invoice GROUP BY 1 ORDER BY 1`},
		{"Revenue by quarter, newest first", `{"table":"invoice","group_by":["quarter(invoice_date)"],"measures":[{"as":"revenue","expr":"sum(total)"}],"order_by":["quarter(invoice_date) desc"],"limit":4}`,
			`SELECT printf('%s-%02d-01', strftime('%Y', InvoiceDate), (strftime('%m', InvoiceDate) - 1) / 3 * 3 + 1), printf('%.2f', sum(Total)) FROM Invoice GROUP BY 1 ORDER BY 1 DESC LIMIT 4`},
		{"Growth from 2021 to 2022, in percent", `{"table":"invoice","measures":[{"as":"growth","expr":"round(100 * (sum_if(total, year_of(invoice_date) == 2022) - sum_if(total, year_of(invoice_date) == 2021)) / sum_if(total, year_of(invoice_date) == 2021), 2)"}]}`,
			`SELECT printf('%.2f', 100 * (sum(CASE WHEN strftime('%Y', InvoiceDate) = '2022' THEN Total END) / sum(CASE WHEN strftime('%Y', InvoiceDate) = '2021' THEN Total END) - 1)) FROM Invoice`},
		{"Which share of the revenue comes from the USA?", `{"table":"invoice","measures":[{"as":"share","expr":"round(100 * sum_if(total, billing_country == \"USA\") / sum(total), 2)"}]}`,
			`SELECT printf('%.2f', 100 * sum(CASE WHEN BillingCountry = 'USA' THEN Total END) / sum(Total)) FROM Invoice`},
		{"Which percentage of customers is a company's, by support agent?", `{"table":"customer","group_by":["support_rep.last_name"],"measures":[{"as":"pct","expr":"round(100 * count_if(company != null) / count(), 1)"}]}`,
			`SELECT Employee.LastName, printf('%.1f', 100.0 * count(Customer.Company) / count(*)) FROM Customer JOIN Employee ON EmployeeId = SupportRepId GROUP BY 1 ORDER BY 1`},
		{"Best-selling genres by revenue", `{"table":"invoice_line","group_by":["track.genre.name"],"measures":[{"as":"revenue","expr":"sum(quantity * unit_price)"},{"as":"sold","expr":"sum(quantity)"}],"order_by":["revenue desc"],"limit":5}`,
			`SELECT g.Name, printf('%.2f', sum(il.Quantity * il.UnitPrice)), sum(il.Quantity) FROM InvoiceLine il JOIN Track t USING (TrackId) JOIN Genre g USING (GenreId) GROUP BY 1 ORDER BY round(sum(il.Quantity * il.UnitPrice), 2) DESC, 1 LIMIT 5`},
		{"The five artists that earn most", `{"table":"invoice_line","group_by":["track.album.artist.name"],"measures":[{"as":"revenue","expr":"sum(quantity * unit_price)"}],"order_by":["revenue desc"],"limit":5}`,
			`SELECT ar.Name, printf('%.2f', sum(il.Quantity * il.UnitPrice)) FROM InvoiceLine il JOIN Track t USING (TrackId) JOIN Album al USING (AlbumId) JOIN Artist ar USING (ArtistId) GROUP BY ar.Name ORDER BY round(sum(il.Quantity * il.UnitPrice), 2) DESC, 1 LIMIT 5`},
		{"Revenue by support agent", `{"table":"invoice","group_by":["customer.support_rep.last_name"],"measures":[{"as":"revenue","expr":"sum(total)"},{"as":"customers","expr":"count_distinct(customer_id)"}],"order_by":["revenue desc"]}`,
			`SELECT e.LastName, printf('%.2f', sum(Total)), count(DISTINCT CustomerId) FROM Invoice JOIN Customer c USING (CustomerId) JOIN Employee e ON e.EmployeeId = c.SupportRepId GROUP BY 1 ORDER BY round(sum(Total), 2) DESC`},
		{"Tracks by media type", `{"table":"track","group_by":["media_type.name"],"measures":[{"as":"n","expr":"count()"},{"as":"minutes","expr":"round(avg(milliseconds) / 60000, 2)"}],"order_by":["n desc"]}`,
			`SELECT m.Name, count(*), printf('%.2f', avg(Milliseconds) / 60000) FROM Track JOIN MediaType m USING (MediaTypeId) GROUP BY 1 ORDER BY 2 DESC, 1`},
		{"How many tracks have no composer, by genre?", `{"table":"track","group_by":["genre.name"],"measures":[{"as":"without","expr":"count_if(composer == null)"}],"having":"without > 50","order_by":["without desc"]}`,
			`SELECT g.Name, sum(Composer IS NULL) FROM Track JOIN Genre g USING (GenreId) GROUP BY 1 HAVING sum(Composer IS NULL) > 50 ORDER BY 2 DESC, 1`},
		{"Customers by state, the unknown too", `{"table":"customer","where":"country in [\"USA\", \"Canada\", \"Germany\"]","group_by":["state"],"measures":[{"as":"n","expr":"count()"}],"order_by":["n desc","state"]}`,
			`SELECT State, count(*) FROM Customer WHERE Country IN ('USA', 'Canada', 'Germany') GROUP BY 1 ORDER BY 2 DESC, 1 NULLS LAST`},
		{"How many tracks were never sold?", `{"table":"track","measures":[{"as":"n","expr":"count_if(!invoice_line.exists())"}]}`,
			`SELECT count(*) FROM Track WHERE TrackId NOT IN (SELECT TrackId FROM InvoiceLine)`},
		{"Share of tracks that were sold, by genre, the five lowest", `{"table":"track","group_by":["genre.name"],"measures":[{"as":"pct","expr":"round(100 * count_if(invoice_line.exists()) / count(), 1)"}],"order_by":["pct"],"limit":5}`,
			`SELECT g.Name, printf('%.1f', 100.0 * sum(EXISTS (SELECT 1 FROM InvoiceLine il WHERE il.TrackId = t.TrackId)) / count(*)) FROM Track t JOIN Genre g USING (GenreId) GROUP BY 1
			 ORDER BY round(100.0 * sum(EXISTS (SELECT 1 FROM InvoiceLine il WHERE il.TrackId = t.TrackId)) / count(*), 1), 1 LIMIT 5`},
		{"How many albums does an artist have on average?", `{"table":"artist","measures":[{"as":"mean","expr":"round(avg(album.count()), 3)"}]}`,
			`SELECT printf('%.3f', avg(n)) FROM (SELECT (SELECT count(*) FROM Album al WHERE al.ArtistId = ar.ArtistId) AS n FROM Artist ar)`},
		{"How many artists have how many albums?", `{"table":"artist","group_by":["album.count()"],"measures":[{"as":"artists","expr":"count()"}]}`,
			`SELECT n, count(*) FROM (SELECT (SELECT count(*) FROM Album al WHERE al.ArtistId = ar.ArtistId) AS n FROM Artist ar) GROUP BY n ORDER BY n`},
		{"Customers by what they spent: under 40, or not", `{"table":"customer","group_by":["invoice.sum(i, i.total) < 40 ? \"under 40\" : \"40 and more\""],"measures":[{"as":"n","expr":"count()"}]}`,
			`SELECT CASE WHEN round(s, 2) < 40 THEN 'under 40' ELSE '40 and more' END, count(*) FROM (SELECT sum(Total) AS s FROM Invoice GROUP BY CustomerId) GROUP BY 1 ORDER BY 1`},
		{"Average revenue of a customer by country, for countries with two customers or more", `{"table":"customer","group_by":["country"],"measures":[{"as":"mean","expr":"round(avg(invoice.sum(i, i.total)), 2)"}],"having":"count() >= 2"}`,
			`SELECT Country, printf('%.2f', avg(s) + 1e-9) FROM (SELECT Country, (SELECT sum(Total) FROM Invoice i WHERE i.CustomerId = c.CustomerId) AS s FROM Customer c) GROUP BY 1 HAVING count(*) >= 2 ORDER BY 1`},
		{"Countries whose average invoice is above that of all", `{"table":"invoice","group_by":["billing_country"],"having":"avg(total) > all.invoice.avg(i, i.total)"}`,
			`SELECT BillingCountry FROM Invoice GROUP BY 1 HAVING avg(Total) > (SELECT avg(Total) FROM Invoice) ORDER BY 1`},
		{"How many different customers bought rock, by year?", `{"table":"invoice_line","where":"track.genre.name == \"Rock\"","group_by":["year_of(invoice.invoice_date)"],"measures":[{"as":"customers","expr":"count_distinct(invoice.customer_id)"}]}`,
			`SELECT CAST(strftime('%Y', InvoiceDate) AS INTEGER), count(DISTINCT CustomerId) FROM InvoiceLine JOIN Invoice USING (InvoiceId) JOIN Track USING (TrackId) JOIN Genre USING (GenreId) WHERE Genre.Name = 'Rock' GROUP BY 1 ORDER BY 1`},
		{"How long is the longest track of each media type, in seconds?", `{"table":"track","group_by":["media_type.name"],"measures":[{"as":"seconds","expr":"round(max(milliseconds) / 1000.0, 0)"}],"order_by":["seconds desc"]}`,
			`SELECT m.Name, printf('%.0f', max(Milliseconds) / 1000.0) FROM Track JOIN MediaType m USING (MediaTypeId) GROUP BY 1 ORDER BY max(Milliseconds) DESC`},
		{"How many invoices are there for each number of lines?", `{"table":"invoice","group_by":["invoice_line.count()"],"measures":[{"as":"n","expr":"count()"},{"as":"mean","expr":"round(avg(total), 2)"}]}`,
			`SELECT k, count(*), printf('%.2f', avg(Total)) FROM (SELECT Total, (SELECT count(*) FROM InvoiceLine il WHERE il.InvoiceId = i.InvoiceId) AS k FROM Invoice i) GROUP BY 1 ORDER BY 1`},
		{"Unit prices and how often each occurs", `{"table":"track","group_by":["unit_price"],"measures":[{"as":"n","expr":"count()"}]}`,
			`SELECT printf('%.2f', UnitPrice), count(*) FROM Track GROUP BY UnitPrice ORDER BY UnitPrice`},
		{"Employees by whom they report to", `{"table":"employee","group_by":["reports_to.last_name"],"measures":[{"as":"n","expr":"count()"}]}`,
			`SELECT b.LastName, count(*) FROM Employee e LEFT JOIN Employee b ON b.EmployeeId = e.ReportsTo GROUP BY 1 ORDER BY 1 NULLS LAST`},
		{"Does every invoice equal the sum of its lines?", `{"table":"invoice","measures":[{"as":"off","expr":"count_if(total != invoice_line.sum(l, l.unit_price * l.quantity))"}]}`,
			`SELECT count(*) FROM Invoice i WHERE round(Total, 2) <> (SELECT round(sum(UnitPrice * Quantity), 2) FROM InvoiceLine il WHERE il.InvoiceId = i.InvoiceId)`},
		{"First letters of artists, the five most frequent", `{"table":"artist","group_by":["substring(name, 1, 1)"],"measures":[{"as":"n","expr":"count()"}],"order_by":["n desc"],"limit":5}`,
			`SELECT substr(Name, 1, 1), count(*) FROM Artist GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5`},
		{"Customers by the domain country of their address", `{"table":"customer","group_by":["email.endsWith(\".com\")"],"measures":[{"as":"n","expr":"count()"}]}`,
			`SELECT json(CASE WHEN lower(Email) LIKE '%.com' THEN 'true' ELSE 'false' END), count(*) FROM Customer GROUP BY 1 ORDER BY 1`},
		{"Albums by artist, with the artist's name beside", `{"table":"album","group_by":["artist_id"],"measures":[{"as":"albums","expr":"count()"}],"order_by":["albums desc"],"limit":3}`,
			`SELECT ArtistId, ar.Name, count(*) FROM Album JOIN Artist ar USING (ArtistId) GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT 3`},
		{"Revenue of each agent and year", `{"table":"invoice","group_by":["customer.support_rep.last_name","year_of(invoice_date)"],"measures":[{"as":"revenue","expr":"sum(total)"}]}`,
			`SELECT e.LastName, CAST(strftime('%Y', InvoiceDate) AS INTEGER), printf('%.2f', sum(Total)) FROM Invoice JOIN Customer c USING (CustomerId) JOIN Employee e ON e.EmployeeId = c.SupportRepId GROUP BY 1, 2 ORDER BY 1, 2`},
		{"Nothing was sold in 1999", `{"table":"invoice","where":"year_of(invoice_date) == 1999","measures":[{"as":"n","expr":"count()"},{"as":"revenue","expr":"sum(total)"},{"as":"mean","expr":"sum(total) / count()"}]}`,
			`SELECT 0, NULL, NULL`},
	}
}

// analyses asks all questions as somebody who may read everything.
func (s musicShop) analyses(t *testing.T) {
	for _, f := range figures() {
		got := rowsOf(t, s.ask(caller("analyst", "analyst"), "analyze_records", f.arguments))
		if want := truth(t, s.db, f.truth); plain(got) != plain(want) {
			t.Errorf("%s\n%s\n got %s\nwant %s", f.question, f.arguments, got, want)
		}
	}
}

// plain drops the zeros at the end of decimals, which mean nothing.
func plain(rows string) string {
	return regexp.MustCompile(`(?:\.|(\.\d*[1-9]))0*"`).ReplaceAllString(rows, `$1"`)
}

// ownFigures: what an employee is told is of their own customers alone, at every hop.
func (s musicShop) ownFigures(t *testing.T) {
	const own = ` FROM Invoice JOIN Customer USING (CustomerId) WHERE SupportRepId = 3`
	for arguments, want := range map[string]string{
		`{"table":"invoice","measures":[{"as":"revenue","expr":"sum(total)"},{"as":"n","expr":"count()"}]}`:                                               `SELECT printf('%.2f', sum(Total)), count(*)` + own,
		`{"table":"invoice","group_by":["customer.country"],"measures":[{"as":"n","expr":"count()"}],"having":"n >= 14","order_by":["n desc"]}`:           `SELECT Country, count(*)` + own + ` GROUP BY 1 HAVING count(*) >= 14 ORDER BY 2 DESC, 1`,
		`{"table":"track","measures":[{"as":"sold","expr":"count_if(invoice_line.exists())"},{"as":"n","expr":"sum(invoice_line.count())"}]}`:             `SELECT count(DISTINCT TrackId), count(*) FROM InvoiceLine JOIN Invoice USING (InvoiceId) JOIN Customer USING (CustomerId) WHERE SupportRepId = 3`,
		`{"table":"employee","group_by":["last_name"],"measures":[{"as":"n","expr":"sum(customer.count())"}],"having":"n > 0"}`:                           `SELECT 'Peacock', count(*) FROM Customer WHERE SupportRepId = 3`,
		`{"table":"invoice","group_by":["billing_country"],"having":"avg(total) > all.invoice.avg(i, i.total)","order_by":["max(total) desc"],"limit":5}`: `SELECT BillingCountry` + own + ` GROUP BY 1 HAVING avg(Total) > (SELECT avg(Total)` + own + `) ORDER BY max(Total) DESC, 1 LIMIT 5`,
	} {
		if got, want := rowsOf(t, s.ask(employee(3), "analyze_records", arguments)), truth(t, s.db, want); got != want {
			t.Errorf("%s\n got %s\nwant %s", arguments, got, want)
		}
	}
}

// truth is what a statement says, as rows of a result.
func truth(t *testing.T, db *sql.DB, text string) string {
	t.Helper()
	rows, err := db.Query(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	out := [][]any{}
	for rows.Next() {
		raw, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range raw {
			into[i] = &raw[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i, v := range raw {
			if v == "true" || v == "false" {
				raw[i] = v == "true"
			}
		}
		out = append(out, raw)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	text2, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text2)
}

// analysts are over any database of the music shop; the file is asked directly.
func analysts(t *testing.T, c sqldb.Config, file string) musicShop {
	t.Helper()
	host, err := sqldb.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	model := &oneCall{}
	b := setupModel(t, func(c *deputy.Config) {
		c.Host, c.Policy = host, music()
		c.Policy.Roles["analyst"] = deputy.Role{Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": {Read: all()}}}
		c.Toolsets = append(c.Toolsets, analysis.New())
	}, model.answer)
	ask := func(who deputy.Caller, tool, arguments string) string {
		t.Helper()
		model.next = do(tool, arguments)
		if got := b.ask(t, who, "", "x"); got.end.Reason != deputy.Answered {
			t.Fatal(got.end)
		}
		return b.results()[0]
	}
	return musicShop{b, ask, db}
}

func TestChinookAnalyses(t *testing.T) {
	t.Parallel()
	path := chinookFile(t)
	s := analysts(t, sqldb.Config{URL: "sqlite:" + path}, path)
	s.analyses(t)
	s.ownFigures(t)
}

func TestChinookAnalysesOnPostgres(t *testing.T) {
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
	if _, err := db.Exec(text); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := analysts(t, sqldb.Config{URL: url}, file)
	s.analyses(t)
	s.ownFigures(t)
}

// TestChinookAnalysisIsShown: the rows behind a call are worked out again with the rights of now, and there are as many as there are.
func TestChinookAnalysisIsShown(t *testing.T) {
	t.Parallel()
	path := chinookFile(t)
	s := analysts(t, sqldb.Config{URL: "sqlite:" + path}, path)
	answer := s.ask(employee(3), "analyze_records", `{"table":"invoice","group_by":["invoice_id"],"measures":[{"as":"t","expr":"sum(total)"}]}`)
	var said struct {
		Rows [][]any
		More bool `json:"has_more"`
	}
	from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if err := json.Unmarshal([]byte(answer[from:to+1]), &said); err != nil || len(said.Rows) != 100 || !said.More {
		t.Fatalf("%d rows, more %v, %v", len(said.Rows), said.More, err)
	}
	n := numbers(t, s.db, `SELECT count(*) FROM Invoice JOIN Customer USING (CustomerId) WHERE SupportRepId = 3`)
	page, err := s.bench.door().Result(t.Context(), employee(3), s.bench.log(t)[0].ID, 0, 1000)
	if err != nil || len(page.Rows.Rows) != n {
		t.Errorf("%d rows of %d, %v", len(page.Rows.Rows), n, err)
	}
	if _, err := s.bench.door().Result(t.Context(), employee(4), s.bench.log(t)[0].ID, 0, 1000); deputy.CodeOf(err) != deputy.NotFound {
		t.Error(fmt.Sprint(err))
	}
}
