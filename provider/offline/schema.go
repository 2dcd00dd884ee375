package offline

import (
	"slices"
	"strings"
)

// schema is what list_tables and describe_table have said in this conversation.
type schema struct{ tables []*table }

type table struct {
	name, label string
	described   bool
	key         []string
	recordLabel string
	fields      []*field
	parents     []relation
	children    []relation
	names       map[string]int // what it may be called, joined without blanks → how sure that is
}

type field struct {
	name, label, typ   string
	required, readOnly bool
	secret             bool
	values             []value
	parent             string // the table it refers to
	names              map[string]int
}

// value is one of a field's value list.
type value struct{ text, label string }

// relation leads to another table.
type relation struct {
	name, table string
	fields      []string
}

// learn gathers what calls have said, the latest winning.
func learn(calls []exchange) schema {
	var s schema
	for _, c := range calls {
		if c.result == nil || c.result.err != "" {
			continue
		}
		switch c.tool {
		case "list_tables":
			for _, v := range list(c.result.body["tables"]) {
				s.add(object(v))
			}
		case "describe_table":
			for _, v := range list(c.result.body["tables"]) {
				s.describe(object(v))
			}
		}
	}
	return s
}

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

func (s *schema) find(name string) *table {
	for _, t := range s.tables {
		if t.name == name {
			return t
		}
	}
	return nil
}

func (s *schema) add(m map[string]any) *table {
	name := str(m["name"])
	if name == "" {
		return nil
	}
	t := s.find(name)
	if t == nil {
		t = &table{name: name}
		s.tables = append(s.tables, t)
	}
	if l := str(m["label"]); l != "" {
		t.label = l
	}
	t.names = namesOf(t.name, t.label)
	return t
}

func (s *schema) describe(m map[string]any) {
	t := s.add(m)
	if t == nil {
		return
	}
	t.described, t.recordLabel, t.key = true, str(m["record_label"]), texts(m["key"])
	t.fields, t.parents, t.children = nil, relations(m["parents"]), relations(m["children"])
	for _, v := range list(m["fields"]) {
		if f := readField(t, object(v)); f.name != "" {
			t.fields = append(t.fields, f)
		}
	}
	for _, p := range t.parents {
		if f := t.field(first(p.fields)); f != nil && len(p.fields) == 1 {
			f.parent = p.table
			f.call(words(p.name), whole)
		}
	}
}

func readField(t *table, m map[string]any) *field {
	f := &field{name: str(m["name"]), label: str(m["label"]), typ: str(m["type"])}
	f.required, f.readOnly, f.secret = m["required"] == true, m["read_only"] == true, m["secret"] == true
	for _, v := range list(m["values"]) {
		if o := object(v); o != nil {
			f.values = append(f.values, value{firstOf(str(o["value"]), str(o["id"]), str(o["name"])), str(o["label"])})
		} else if s := str(v); s != "" {
			f.values = append(f.values, value{text: s})
		}
	}
	f.names = namesOf(f.name, f.label)
	own := words(t.name)
	for _, ws := range [][]string{words(f.name), words(f.label)} {
		if n := len(own); len(ws) > n && sameWords(ws[:n], own) {
			f.call(ws[n:], whole) // the number of an order, where the field is order_number
		}
		if n := len(ws); n > 1 && slices.Contains([]string{"id", "at", "on"}, ws[n-1]) {
			f.call(ws[:n-1], head)
		}
	}
	return f
}

// call gives a field one more name.
func (f *field) call(ws []string, sure int) { addNames(f.names, ws, sure) }

func texts(v any) []string {
	if s := str(v); s != "" {
		return []string{s}
	}
	var out []string
	for _, x := range list(v) {
		out = append(out, str(x))
	}
	return out
}

func relations(v any) []relation {
	var out []relation
	for _, x := range list(v) {
		m := object(x)
		if r := (relation{str(m["name"]), str(m["table"]), texts(m["fields"])}); r.name != "" && r.table != "" {
			out = append(out, r)
		}
	}
	return out
}

func (t *table) field(name string) *field {
	for _, f := range t.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

func (t *table) isKey(f *field) bool { return slices.Contains(t.key, f.name) }

// textFields are those in which a name or a place may stand.
func (t *table) textFields() []*field {
	var out []*field
	for _, f := range t.fields {
		if f.typ == "string" && !f.secret && len(f.values) == 0 && len(out) < 16 {
			out = append(out, f)
		}
	}
	return out
}

// labelFields are those that name a record: the label where it is a field, else what is called a name or a title, else the first text.
func (t *table) labelFields() []*field {
	var out []*field
	for _, f := range t.fields {
		if f.typ == "string" && containsWord(t.recordLabel, f.name) {
			out = append(out, f)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, f := range t.textFields() {
		if hasWord(f, "name", "title", "subject", "label") {
			out = append(out, f)
		}
	}
	if ts := t.textFields(); len(out) == 0 && len(ts) > 0 {
		out = ts[:1]
	}
	return out
}

// noun is what one or several records of the table are called.
func (t *table) noun(n int) string {
	ws := spokenWords(t.label, t.name)
	if len(ws) == 0 {
		return "records"
	}
	last := singular(ws[len(ws)-1])
	if n != 1 {
		last = plural(last)
	}
	return strings.Join(append(ws[:len(ws)-1:len(ws)-1], last), " ")
}

// called is what people call a field.
func (f *field) called() string {
	return strings.Join(spokenWords(f.label, f.name), " ")
}

// spokenWords are the words of a label as it is written, or those of a name where there is no label or it is written like a name.
func spokenWords(label, name string) []string {
	ws := strings.Fields(strings.ToLower(label))
	if len(ws) == 0 || len(ws) == 1 && len(words(label)) > 1 && !strings.ContainsAny(label, "-/.") {
		return words(firstOf(label, name))
	}
	return ws
}

func (f *field) numeric() bool { return f.typ == "int" || f.typ == "decimal" }
func (f *field) dated() bool   { return f.typ == "date" || f.typ == "timestamp" }

// pick is the value of the value list that a text means.
func (f *field) pick(text string) (string, bool) {
	want := squeeze(text)
	for _, v := range f.values {
		if want != "" && (squeeze(v.text) == want || squeeze(v.label) == want) {
			return v.text, true
		}
	}
	return "", false
}

// listed is the whole list of tables, known or asked for.
func (d *desk) listed() error {
	after := ""
	for range 5 {
		args := struct {
			After string `json:"after,omitempty"`
		}{after}
		r, err := d.call("list_tables", args, true)
		if err != nil {
			return err
		}
		if after = str(r.body["next"]); after == "" {
			break
		}
	}
	return nil
}

// describeAll is describe for many.
func (d *desk) describeAll(names []string) error {
	for chunk := range slices.Chunk(names[:min(len(names), 40)], 10) {
		if err := d.describe(chunk...); err != nil {
			return err
		}
	}
	return nil
}

// describe makes sure that tables are described, ten at most.
func (d *desk) describe(names ...string) error {
	var missing []string
	for _, n := range names {
		if t := d.schema.find(n); (t == nil || !t.described) && !slices.Contains(missing, n) && len(missing) < 10 {
			missing = append(missing, n)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := d.call("describe_table", struct {
		Tables []string `json:"tables"`
	}{missing}, true)
	return err
}

// parentsOf are the described tables that a table refers to, by relation.
func (d *desk) parentsOf(t *table) (map[string]*table, error) {
	var names []string
	for _, p := range t.parents {
		names = append(names, p.table)
	}
	var failed toolError
	if err := d.describe(names...); err != nil && !isTool(err, &failed) {
		return nil, err
	}
	out := map[string]*table{}
	for _, p := range t.parents {
		if pt := d.schema.find(p.table); pt != nil && pt.described {
			out[p.name] = pt
		}
	}
	return out, nil
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

func firstOf(s ...string) string {
	for _, x := range s {
		if x != "" {
			return x
		}
	}
	return ""
}
