package records_test

import (
	"encoding/json"
	"testing"

	"example.com/deputy/deputytest"
	"example.com/deputy/query"
	"example.com/deputy/toolset/records"
)

// TestParametersAreValues: whatever a model writes for one is a value of its type, and never a part of the question.
func TestParametersAreValues(t *testing.T) {
	t.Parallel()
	all := map[string]records.Widget{
		"named": {Parameters: params{"name": param(query.String)}, Question: records.Rows{Table: "customers", Select: []string{"id"}, Where: "name == parameters.name"}},
		"some":  {Parameters: params{"n": param(query.Int), "day": param(query.Date), "sum": param(query.Dec), "on": param(query.Bool)}, Question: records.Rows{Table: "customers", Select: []string{"id"}, Where: "id == parameters.n"}},
	}
	d := widgetDesk(t, all)
	for widget, values := range map[string][]string{
		"named": {`name=x" || true || name == "`, `name=\" || true`, `name=parameters.name`, `name=name`, `name=person.id`, "name=x\x00", `name=%`, `name=_`, `name=' OR 1=1 --`},
		"some":  {`n=1 || true`, `n=id`, `n=parameters.n`, `n=1,"x":2`, `n=`, `n= 1`, `day=today()`, `day=2026-01-01" || true`, `sum=1e9`, `sum=NaN`, `on=1`, `on=TRUE`, `n`, `=1`, `person.id=1`, `n =1=1`},
	} {
		for _, v := range values {
			args, err := json.Marshal(map[string]any{"widget": widget, "parameters": []string{v}})
			if err != nil {
				t.Fatal(err)
			}
			turn := d.Run(deputytest.Person("one", "manager"), deputytest.Call("render_widget", string(args)))
			if turn.Outcomes[0] != "refused" && rowCount(t, turn.Data(t, 0)) != 0 {
				t.Errorf("%q: %s %s", v, turn.Outcomes[0], turn.Results[0])
			}
		}
	}
}

func rowCount(t *testing.T, raw json.RawMessage) int {
	t.Helper()
	var r struct{ Rows []any }
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return len(r.Rows)
}
