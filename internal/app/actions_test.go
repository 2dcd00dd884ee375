package app

import (
	"strings"
	"testing"
)

// acting is a configuration with the actions of the text.
func acting(t *testing.T, actions, roles string) string {
	t.Helper()
	config := strings.Replace(goodConfig, "policy:\n", "actions:\n"+actions+"policy:\n", 1)
	return shop(t, strings.Replace(config, "      tools: [\"*\"]\n", "      tools: [\"*\"]\n"+roles, 1))
}

// TestActionsAreCheckedAtStart: what an action cannot do stops the start, whoever may use it, with its place and how to mend it.
func TestActionsAreCheckedAtStart(t *testing.T) {
	t.Parallel()
	const set = `, set: { phone: '"1"' }`
	for action, want := range map[string]string{
		`{ label: A, table: custmers` + set + ` }`:                                                                          ":5:25: actions.a.table: no table `custmers`; near: customers",
		`{ label: A, table: xyz` + set + ` }`:                                                                               ":5:25: actions.a.table: no table `xyz`; there are customers, employees, names",
		`{ label: A` + set + ` }`:                                                                                           ":5:3: actions.a.table: no table: write the name of one; there are customers, employees, names",
		`{ label: A, table: customers, set: { phone: x } }`:                                                                 "actions.a.set.phone: column 1: no field `x`: a text stands in quotes of its own: '\"x\"'",
		`{ label: A, table: names` + set + ` }`:                                                                             "actions.a.table: names can be read, not written",
		`{ label: A, table: customers, when: 'nam == "x"'` + set + ` }`:                                                     ":5:42: actions.a.when: column 1: no field `nam`; near: name",
		`{ label: A, table: customers, when: ''` + set + ` }`:                                                               "actions.a.when: an empty condition would mean every record",
		`{ label: A, table: customers, set: { fone: '"1"' } }`:                                                              "actions.a.set.fone: no field `fone` in customers; near: phone",
		`{ label: A, table: customers, set: { phone: parameters.n }, parameters: { n: { type: int } } }`:                    "actions.a.set.phone: phone is of type string, and the expression gives int",
		`{ label: A, table: customers, set: { phone: '"1"' }, parameters: { n: { type: number } } }`:                        "actions.a.parameters.n.type: no such value: number",
		`{ label: A, table: customers, set: { phone: '"1"' }, parameters: { id: { type: int } } }`:                          "actions.a.parameters.id: id is the record's own",
		`{ label: A, table: employees, then: [ { update: { children: customer, set: { phone: '"1"' } } } ] }`:               "actions.a.then[0].update.children: employees has no children `customer`; near: customers",
		`{ label: A, table: employees, then: [ { update: { children: customers, where: 'x > 1', set: { phone: id } } } ] }`: "actions.a.then[0].update.where: column 1: no field `x`",
		`{ label: A, table: customers, then: [ { create: { table: customers, values: { phone: phone } } } ] }`:              "actions.a.then[0].create.values: a new record of customers needs a value for: name",
		`{ label: A, table: customers, then: [ { delete: { children: x } } ] }`:                                             "actions.a.then[0].delete: unknown key",
		`{ table: customers` + set + ` }`:                                                                                   "actions.a.label: no label",
	} {
		config := acting(t, "  a: "+action+"\n", "")
		status, _, errOut := deputyCommand(t, "check", "--config", config)
		if status != wrong || !strings.Contains(errOut, want) || !strings.Contains(errOut, ":5:") {
			t.Errorf("%s: %d\n got %s\nwant %s", action, status, errOut, want)
		}
	}
	good := `  a: { label: A, table: customers, set: { phone: '"1"' } }` + "\n"
	for roles, want := range map[string]string{
		"      actions: [b, aa]\n": ":10:17: policy.roles.support.actions[0]: no such action: b",
		"      actions: ['*']\n":   ":10:17: policy.roles.support.actions[0]: no pattern here: name each action by itself",
		"      actions: [aa]\n":    ":10:17: policy.roles.support.actions[0]: no such action: aa; near: a",
	} {
		status, _, errOut := deputyCommand(t, "check", "--config", acting(t, good, roles))
		if status != wrong || !strings.Contains(errOut, want) {
			t.Errorf("%s: %d\n got %s\nwant %s", roles, status, errOut, want)
		}
	}
	config := strings.Replace(goodConfig, "policy:\n", "actions:\n"+good+"policy:\n", 1)
	status, _, errOut := deputyCommand(t, "check", "--config", shop(t, strings.Replace(config, `tools: ["*"]`, `tools: [a]`, 1)))
	if status != wrong || !strings.Contains(errOut, "policy.roles.support.tools[0]: a is an action: name it in actions") {
		t.Errorf("%d %s", status, errOut)
	}
}

// TestWhoHasAnAction: checking tells which there are, which of them a person is offered, and which a role names in vain.
func TestWhoHasAnAction(t *testing.T) {
	t.Parallel()
	config := acting(t, `  rename: { label: Rename a customer, table: customers, parameters: { name: { type: string } }, set: { name: parameters.name } }
  raise: { label: Raise, table: employees, when: 'salary < 100', set: { name: '"x"' } }
`, "      actions: [rename, raise]\n")
	status, out, errOut := deputyCommand(t, "check", "--config", config)
	if status != 0 || errOut != "" || !strings.Contains(out, "actions: raise, rename") ||
		!strings.Contains(out, "policy.roles.support.actions[1]: raise is not offered by this role alone: it names what the role may not read: in `salary < 100`") {
		t.Errorf("%d %s%s", status, out, errOut)
	}
	status, out, errOut = deputyCommand(t, "check", "--config", config, "--as", "ann")
	if status != 0 || errOut != "" || !strings.Contains(out, "\nactions: rename\n") {
		t.Errorf("%d %s%s", status, out, errOut)
	}
}
