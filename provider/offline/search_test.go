package offline_test

import "testing"

// TestFind: a name without a table is looked for everywhere; what names a table is not.
func TestFind(t *testing.T) {
	t.Parallel()
	s := open(t, chinook(t))
	for _, c := range []struct {
		ask, tool, arguments, text string
		displays                   int
	}{
		{"find Gonçalves", "search_records", `{"term":"Gonçalves"}`, "Here is the one record with “Gonçalves” in it.", 1},
		{"please look for “AC/DC”!", "search_records", `{"term":"AC/DC"}`, "Here is the one record with “AC/DC” in it.", 1},
		{"search for love", "search_records", `{"term":"love"}`, "Here are the 25 records that suit “love” best; there are more.", 1},
		{"Find xyzzy.", "search_records", `{"term":"xyzzy"}`, "I found nothing with “xyzzy” in it.", 0},
		{"find customers in Norway", "query_records", `{"table":"customer","where":"country == \"Norway\""}`, "Here is 1 customer (country is \"Norway\").", 1},
	} {
		h := s.ask(t, "", c.ask)
		found := false
		for _, call := range h.calls {
			found = found || call.Tool == c.tool && string(call.Arguments) == c.arguments
		}
		if !found || h.text != c.text || len(h.failed) > 0 || len(h.displays) != c.displays {
			t.Errorf("%s: %q, %d displays, failed %q\n%s", c.ask, h.text, len(h.displays), h.failed, said(h))
		}
	}
}
