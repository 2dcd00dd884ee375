package offered

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/deputy/internal/app"
)

// scenario is a business, a configuration, and a person who asks something.
type scenario struct {
	name     string
	says     string   // what it shows
	business string   // trade or bare
	host     string   // more of the configuration's host
	more     string   // more of the configuration
	role     string   // what the person may do
	enable   []string // toolsets that the model activates before it answers; nil: none
	never    []string // words that must not come up, in any request
}

// widgets, pages, labels and search fields are what an operator adds to the schema.
const metadata = `
  tables:
    customers: { label: Customers, record_label: name, search: [name, phone] }
    orders: { label: Orders, search: [cancel_reason] }
  pages: { orders: "/orders/{id}", refunds: "/refunds/{id}" }
  widgets:
    most_ordered:
      label: What is ordered most
      analyze: { table: order_lines, where: cancelled != true, group_by: [product], measures: [ { as: pieces, expr: sum(quantity) } ], order_by: [pieces desc] }
    large_refunds:
      label: Refunds above an amount
      parameters: { least: { type: decimal, default: "100" } }
      query: { table: refunds, where: amount >= parameters.least, select: [order.customer.name, amount] }`

// changes are actions with parameters of every type.
const changes = `
actions:
  cancel_order:
    label: Cancel an order
    table: orders
    when: 'status == "pending"'
    parameters: { reason: { type: string, enum: [no longer needed, ordered by mistake] } }
    set: { status: '"cancelled"', cancel_reason: parameters.reason }
    then:
      - create: { table: refunds, values: { order_id: id, amount: total, reason: parameters.reason } }
      - update: { children: order_lines, set: { cancelled: 'true' } }
  correct_order:
    label: Correct an order
    table: orders
    parameters:
      total: { type: decimal }
      due_on: { type: date, label: when it is to be paid, optional: true }
      ordered_at: { type: timestamp, optional: true }
      rush: { type: bool, optional: true }
      why: { type: string, enum: [typing error, agreed on the phone], optional: true }
    set: { total: parameters.total, due_on: 'parameters.rush == true ? today() : coalesce(parameters.due_on, due_on)', ordered_at: 'coalesce(parameters.ordered_at, ordered_at)', cancel_reason: parameters.why }
  reassign_customer:
    label: Reassign a customer
    table: customers
    when: 'support_rep_id != parameters.employee_id'
    parameters: { employee_id: { type: int, label: employees.id of who takes over } }
    set: { support_rep_id: parameters.employee_id }`

const (
	everything = `{ tools: ["*"], actions: [cancel_order, correct_order, reassign_customer], tables: { "*": { read: true, create: true, update: true, delete: true } } }`
	noActions  = `{ tools: ["*"], tables: { "*": { read: true, create: true, update: true, delete: true } } }`
	twoTables  = `{ tools: ["*"], tables: { customers: { read: [id, name] }, orders: { read: [id, customer_id, status, total] } } }`
	coreOnly   = `{ tools: [list_tables, describe_table, query_records, count_records, get_record, search_records, list_possible_values, render_widget, create_record, update_record, delete_record, navigate, calculate, current_datetime],
        actions: [cancel_order, correct_order, reassign_customer], tables: { "*": { read: true, create: true, update: true, delete: true } } }`
)

// words by which one could know that there are analyses.
func analysisWords() []string {
	return []string{"analyze_records", "list_analyses", "save_analysis", "analysis", "analyses"}
}

// actionWords are those by which one could know that there are actions.
func actionWords() []string {
	return []string{"cancel_order", "correct_order", "reassign_customer", "actions"}
}

func scenarios() []scenario {
	return []scenario{
		{name: "everything", business: "trade", host: metadata, more: changes, role: everything, enable: []string{"actions"},
			says: "Everything there is, as it is configured where nothing is said: the analysis in the core, the actions as a toolset. A person with a role that may do everything. In its first step the model activates the toolset."},
		{name: "toolsets", business: "trade", host: metadata, more: changes + "\ntoolsets: { core: [] }", role: everything, enable: []string{"actions", "analysis"},
			says: "The analysis and the actions as toolsets, none of them active. In its first step the model activates both, the actions first. A person with a role that may do everything."},
		{name: "core", business: "trade", host: metadata, more: changes + "\ntoolsets: { core: [analysis, actions] }", role: everything, never: []string{"toolset", "Toolset"},
			says: "Everything in the core: no toolsets, nothing to switch them by, and no word of them. A person with a role that may do everything."},
		{name: "restricted", business: "trade", host: metadata, more: changes, role: twoTables, never: []string{"toolset", "Toolset", "actions", "widget"},
			says: "A role that reads some fields of two tables and writes nothing. It has no actions, so there are no toolsets for it, and none of the operator's widgets, which are over other tables."},
		{name: "no-actions", business: "trade", host: metadata, more: changes + "\ntoolsets: { core: [] }", role: noActions, enable: []string{"actions", "analysis"},
			says: "A person whose role has no actions, where the analysis and the actions are toolsets: one of them is not there for them. The model asks for both, and is told that one does not exist."},
		{name: "no-analysis", business: "trade", host: metadata, more: changes + "\ntoolsets: { core: [] }", role: coreOnly, enable: []string{"actions"}, never: []string{"analysis", "analyses", "analyz"},
			says: "A person whose role names the tools of the core and the actions, where the analysis and the actions are toolsets."},
		{name: "bare", business: "bare", role: noActions, never: []string{"toolset", "Toolset", "get_record", "create_record", "update_record", "delete_record"},
			says: "A host of which nothing is known but tables, columns and types: no keys, no relations, no value lists, no labels, no fields to search, no pages, no widgets, no actions. A person with a role that may do everything: where no record has an id, none can be opened or written."},
	}
}

// config is the configuration file, over a database and with models that are asked at an address.
func (s scenario) config(database, models string) string {
	return fmt.Sprintf("store: 'memory:'\nhost:\n  database: %q%s\n%s%s\nauth:\n  tokens: [ { token: secret-of-the-test, id: person, roles: [role] } ]\npolicy:\n  roles:\n    role: %s\n",
		database, s.host, models, s.more, s.role)
}

// ask has the person ask something over a database, as the command line does it, and gives what every model was sent.
func (s scenario) ask(ctx context.Context, database string) ([]request, error) {
	v := newVendor(s.enable)
	defer v.Close()
	dir, err := os.MkdirTemp("", "offered")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "deputy.yaml")
	if err := os.WriteFile(file, []byte(s.config(database, v.models())), 0o600); err != nil {
		return nil, err
	}
	var out, errs bytes.Buffer
	if status := app.Main(ctx, []string{"chat", "--config", file, "--as", "person"}, strings.NewReader("What is there to do?"), &out, &errs); status != 0 || !strings.Contains(out.String(), answer) {
		return nil, fmt.Errorf("%s: status %d, %s%s", s.name, status, out.String(), errs.String())
	}
	requests, err := v.requests()
	return requests, errors.Join(err, s.complete(requests))
}

// complete says whether every model was asked in every step.
func (s scenario) complete(requests []request) error {
	steps := 1
	if s.enable != nil {
		steps = 2
	}
	if want := steps * len(models()); len(requests) != want {
		return fmt.Errorf("%s: %d requests, want %d", s.name, len(requests), want)
	}
	return nil
}
