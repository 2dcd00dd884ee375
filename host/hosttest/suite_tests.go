package hosttest

import (
	"slices"
	"testing"

	"example.com/deputy"
)

// testTests: an update without values only tests its record, and the rest of its group stands on that.
func testTests(t *testing.T, open Open) {
	b := newBench(t, open)
	region := b.create("regions", "code", "W", "name", "West")
	test := b.update("customers", "2")
	test.When = b.compile("customers", `name == "beta" && customers_by_parent_id.count() == 0`)
	before := b.record("customers", "2")
	out := b.done(test, region)
	if !slices.Equal(out[0].Key, []string{"2"}) || b.record("customers", "2") != before {
		t.Errorf("it wrote: %+v, %s", out[0], b.record("customers", "2"))
	}
	region = b.create("regions", "code", "E", "name", "East")
	no := test
	no.When = b.compile("customers", `orders.count() == 2`)
	b.refused(deputy.Outdated, "", region, no)
	b.done(b.update("customers", "2", "score", "5"))
	b.refused(deputy.Outdated, "", region, test)
	b.refused(deputy.Outdated, "", region, b.update("customers", "77"))
	still := b.update("customers", "2")
	still.Still = b.compile("customers", `all.regions.count(r, r.code == "E") == 0`)
	b.refused(deputy.Failed, "", region, still)
	still.Values = b.update("customers", "2", "score", "6").Values
	b.refused(deputy.Failed, "", region, still)
	b.done(still)
	test = b.update("customers", "2")
	b.refused(deputy.Failed, "", test, b.update("customers", "1", "score", "1"), b.create("regions", "code", "N", "name", "again"))
}
