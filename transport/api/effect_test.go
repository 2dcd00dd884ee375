package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/deputy"
)

// TestEffectOverHTTP: a write outside the host's tables waits, is shown line by line and is confirmed like any other.
func TestEffectOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := object(s.say("ann", "save").at("proposals", 0).(map[string]any))
	if p.text("summary") != "Save analysis “By owner”" || p.text("table") != "" || p["record"] != nil || p.text("warnings", 1) != "Name: “By owner” stands neither in your messages nor in the data." {
		t.Error(p)
	}
	var lines []string
	for i := range p["changes"].([]any) {
		line, err := json.Marshal(p.at("changes", i))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	line := `{"after":%q,"before":null,"field":%q,"label":%q,"record":null,"source":%s,"table":"saved analyses","verb":"create"}`
	want := []string{fmt.Sprintf(line, "By owner", "name", "Name", `"model"`), fmt.Sprintf(line, "yes", "shared", "Shared with everybody", "null"), fmt.Sprintf(line, "customers", "table", "Table", "null"),
		fmt.Sprintf(line, "owner", "group_by[0]", "Group by", "null"), fmt.Sprintf(line, "count()", "measures.n", "Measure n", "null")}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Error(got)
	}
	path := "/v1/proposals/" + p.text("id")
	if got := s.want(s.do("bob", "POST", path+"/confirm", fmt.Sprintf(shown, p.text("hash"))), 404); got.text("code") != "not_found" {
		t.Error(got)
	}
	if got := s.want(s.do("ann", "POST", path+"/confirm", fmt.Sprintf(shown, p.text("hash"))), 200); got.text("state") != "done" || got.text("outcome") != "Done." || got["record"] != nil {
		t.Error(got)
	}
	saved, err := s.store.Analyses.List(t.Context(), deputy.Person{Issuer: "token", ID: "bob"}, deputy.AnalysisFilter{}, 0, 10)
	if err != nil || len(saved) != 1 || saved[0].Owner.ID != "ann" || saved[0].Name != "By owner" {
		t.Error(saved, err)
	}
	for i, outcome := range []string{"confirmed", "confirming", "proposed"} {
		if got := s.want(s.do("ann", "GET", "/v1/tool-calls?tool=save_analysis", ""), 200); got.text("items", i, "outcome") != outcome || got.text("items", i, "proposal") != p.text("id") {
			t.Error(got.at("items", i))
		}
	}
}
