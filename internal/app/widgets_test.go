package app

import (
	"strings"
	"testing"
)

// asking is a configuration with the widgets of the text.
func asking(t *testing.T, widgets string) string {
	t.Helper()
	return shop(t, strings.Replace(goodConfig, `host: { database: "sqlite:%s" }`, "host:\n  database: \"sqlite:%s\"\n  widgets:\n"+widgets, 1))
}

// TestWidgetsAreCheckedAtStart: what a widget cannot ask stops the start, whoever may ask it, with its place and how to mend it.
func TestWidgetsAreCheckedAtStart(t *testing.T) {
	t.Parallel()
	for widget, want := range map[string]string{
		`query: { table: custmers }`:                                                           "host.widgets.w.query.table: no table `custmers`; near: customers",
		`analyze: { table: xyz, measures: [ { as: n, expr: count() } ] }`:                      "host.widgets.w.analyze.table: no table `xyz`; there are customers, employees, names",
		`query: { table: customers, where: 'nam == "x"' }`:                                     "host.widgets.w.query.where: in `nam == \"x\"`: column 1: no field `nam`; near: name",
		`query: { table: customers, where: 'name = "x"' }`:                                     "host.widgets.w.query.where: in `name = \"x\"`: column 6: write == instead of =",
		`query: { table: customers, select: [name, fone] }`:                                    "host.widgets.w.query.select[1]: in `fone`: column 1: no field `fone`; near: phone",
		`query: { table: customers, order_by: [name, 'id dsc'] }`:                              "host.widgets.w.query.order_by[1]: in `id dsc`",
		`query: { table: customers, where: 'name == parameters.nme' }`:                         "host.widgets.w.query.where: in `name == parameters.nme`: column 20: no parameter `nme`; near: name",
		`query: { table: customers, where: 'id == parameters.name' }`:                          "host.widgets.w.query.where: in `id == parameters.name`: column 4: `parameters.name` is text: write number(parameters.name) to compare",
		`query: { table: customers, where: 'employee == "Ann"' }`:                              "host.widgets.w.query.where: in `employee == \"Ann\"`: column 10: labels are not understood here: compare the key, `employee_id`, or a field of `employee`",
		`analyze: { table: customers, group_by: [name, cty] }`:                                 "host.widgets.w.analyze.group_by[1]: in `cty`",
		`analyze: { table: customers, measures: [ { as: n, expr: count( } ] }`:                 "host.widgets.w.analyze.measures[0].expr: in `count(`",
		`analyze: { table: employees, measures: [ { as: n, expr: sum(salry) } ] }`:             "host.widgets.w.analyze.measures[0].expr: in `sum(salry)`: column 5: no field `salry`; near: salary",
		`analyze: { table: customers, measures: [ { as: n, expr: count() } ], having: m > 1 }`: "host.widgets.w.analyze.having: in `m > 1`",
		`analyze: { table: customers, measures: [ { as: "1", expr: count() } ] }`:              "host.widgets.w.analyze: `as` names a measure",
		`analyze: { table: customers }`:                                                        "host.widgets.w.analyze: name what is wanted",
	} {
		config := asking(t, "    w:\n      "+widget+"\n      parameters: { name: { type: string } }\n")
		status, _, errOut := deputyCommand(t, "check", "--config", config)
		if status != wrong || !strings.Contains(errOut, want) || !strings.Contains(errOut, ":6:") || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s: %d\n got %s\nwant %s", widget, status, errOut, want)
		}
	}
}

// TestWhoHasAWidget: checking tells which there are, and which of them a person may ask.
func TestWhoHasAWidget(t *testing.T) {
	t.Parallel()
	config := asking(t, `    mine: { query: { table: customers, where: 'employee_id == person.attributes.employee_id && name == coalesce(parameters.name, name)' }, parameters: { name: { type: string } } }
    pay: { analyze: { table: employees, measures: [ { as: pay, expr: sum(salary) } ] } }
    other: { query: { table: customers, where: 'phone == person.attributes.phone' } }
    listed: { query: { table: names } }
`)
	status, out, errOut := deputyCommand(t, "check", "--config", config)
	if status != good || errOut != "" || !strings.Contains(out, "listed, mine, other, pay") || !strings.Contains(out, "render_widget") {
		t.Errorf("%d %s%s", status, out, errOut)
	}
	status, out, errOut = deputyCommand(t, "check", "--config", config, "--as", "ann")
	if status != good || errOut != "" || !strings.Contains(out, "widgets: mine\n") || !strings.Contains(out, "render_widget") {
		t.Errorf("%d %s%s", status, out, errOut)
	}
}
