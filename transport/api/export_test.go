package api_test

import (
	"strings"
	"testing"

	"example.com/deputy/query"
	"github.com/xuri/excelize/v2"
)

// A spreadsheet's cell holds 32767 characters as UTF-16 counts them: what would be cut is refused, with the column.
func TestLongCells(t *testing.T) {
	t.Parallel()
	const most = 32767
	for _, c := range []struct {
		text string
		fits bool
	}{{strings.Repeat("x", most), true}, {strings.Repeat("é", most), true}, {strings.Repeat("x", most+1), false}, {strings.Repeat("🙂", most/2), true}, {strings.Repeat("🙂", most/2+1), false}} {
		s := serve(t)
		s.host.Change("customers", func(rows []query.Row) []query.Row {
			rows[1]["phone"] = c.text
			return rows
		})
		path := "/v1/tool-calls/" + s.say("ann", "rows").text("displays", 0, "call") + "/result"
		xlsx := s.do("ann", "GET", path+"?format=xlsx", "")
		if c.fits {
			f, err := excelize.OpenReader(strings.NewReader(xlsx.body))
			if err != nil {
				t.Fatal(err, xlsx.status, xlsx.body)
			}
			if got, err := f.GetCellValue("Result", "C3"); err != nil || got != c.text {
				t.Errorf("%v: %d bytes became %d", err, len(c.text), len(got))
			}
			continue
		}
		p := s.want(xlsx, 422)
		if p.text("code") != "unprocessable" || !strings.Contains(p.text("detail"), `"phone"`) || !strings.Contains(p.text("detail"), "row 2") || !strings.Contains(p.text("detail"), "format=csv") {
			t.Error(p)
		}
		if csv := s.do("ann", "GET", path+"?format=csv", ""); csv.status != 200 || !strings.Contains(csv.body, c.text) {
			t.Errorf("as CSV: %d, %d bytes", csv.status, len(csv.body))
		}
	}
}
