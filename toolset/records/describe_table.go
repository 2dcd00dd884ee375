package records

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed describe_table.md
var describeTableText string

type describeTableIn struct {
	Tables []string `json:"tables"`
}

// TableInfo is one table of describe_table.
type TableInfo struct {
	Name        string       `json:"name"`
	Label       string       `json:"label,omitzero"`
	Comment     string       `json:"comment,omitzero"`
	Key         []string     `json:"key,omitempty"`
	RecordLabel string       `json:"record_label,omitzero"`
	Fields      []FieldInfo  `json:"fields"`
	Parents     []ParentInfo `json:"parents,omitempty"`
	Children    []ChildInfo  `json:"children,omitempty"`
	Verbs       VerbInfo     `json:"verbs"`
}

// FieldInfo is one field. Parent names the parent it leads to.
type FieldInfo struct {
	Name     string     `json:"name"`
	Label    string     `json:"label,omitzero"`
	Comment  string     `json:"comment,omitzero"`
	Type     query.Type `json:"type"`
	Required bool       `json:"required,omitzero"`
	Values   []string   `json:"values,omitempty"`
	ReadOnly bool       `json:"read_only,omitzero"`
	Secret   bool       `json:"secret,omitzero"`
	Default  string     `json:"default,omitzero"`
	Parent   string     `json:"parent,omitzero"`
}

// ParentInfo is a relation to one record of another table.
type ParentInfo struct {
	Name   string   `json:"name"`
	Table  string   `json:"table"`
	Fields []string `json:"fields"`
}

// ChildInfo is a relation to many records of another table.
type ChildInfo struct {
	Name  string `json:"name"`
	Table string `json:"table"`
}

// VerbInfo says what may be written.
type VerbInfo struct {
	Create *Writable `json:"create,omitempty"`
	Update *Writable `json:"update,omitempty"`
	Delete bool      `json:"delete,omitzero"`
}

// Writable marshals to true where all fields may be written, else to the names of those that may.
type Writable struct{ deputy.Fields }

// MarshalJSON implements json.Marshaler.
func (w Writable) MarshalJSON() ([]byte, error) {
	if w.All {
		return []byte("true"), nil
	}
	return json.Marshal(w.Names)
}

// TableInfos is what describe_table answers.
type TableInfos struct {
	Tables []TableInfo `json:"tables"`
}

func describeTable() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "describe_table", Label: "Looked at a table's fields", Description: strings.TrimSpace(describeTableText),
		Operation: "GET /tables/{tables}", Offered: readable,
	}, runDescribeTable)
}

func runDescribeTable(ctx context.Context, s *deputy.Scope, in describeTableIn) (deputy.Result, error) {
	const most = 10
	if len(in.Tables) == 0 || len(in.Tables) > most {
		return deputy.Result{}, deputy.Errorf(deputy.Invalid, "`tables` must name 1 to %d tables: ask for the others in another call", most)
	}
	out := TableInfos{}
	for _, name := range in.Tables {
		t, err := s.View().Table(ctx, name)
		if err != nil {
			return deputy.Result{}, err
		}
		rights, err := s.View().Rights(ctx, name)
		if err != nil {
			return deputy.Result{}, err
		}
		out.Tables = append(out.Tables, describe(t, rights))
	}
	return deputy.Result{Value: out}, nil
}

func describe(t *query.Table, r deputy.Rights) TableInfo {
	out := TableInfo{Name: t.Name, Label: unlike(t.Label, t.Name), Comment: short(t.Comment), Key: t.Key, RecordLabel: t.RecordLabel, Fields: []FieldInfo{},
		Verbs: VerbInfo{Create: writes(r.Create, t), Update: writes(r.Update, t), Delete: r.Delete}}
	for _, f := range t.Fields {
		out.Fields = append(out.Fields, describeField(t, f))
	}
	for _, rel := range t.Relations {
		switch {
		case len(rel.From) == 0: // all rows of a table: no relation of this one
		case rel.Many:
			out.Children = append(out.Children, ChildInfo{rel.Name, rel.Table})
		default:
			out.Parents = append(out.Parents, ParentInfo{rel.Name, rel.Table, rel.From})
		}
	}
	return out
}

func describeField(t *query.Table, f query.Field) FieldInfo {
	parent, _ := t.Parent(f.Name)
	return FieldInfo{Name: f.Name, Label: unlike(f.Label, f.Name), Comment: short(f.Comment), Type: f.Type, Required: f.Required, Values: f.Values,
		ReadOnly: f.ReadOnly || f.Generated, Secret: f.Secret, Default: f.Default, Parent: parent.Name}
}

// writes is nil where nothing that the person sees may be written.
func writes(fs deputy.Fields, t *query.Table) *Writable {
	if !fs.All {
		fs.Names = slices.DeleteFunc(slices.Clone(fs.Names), func(n string) bool {
			_, ok := t.Field(n)
			return !ok
		})
	}
	if fs.None() {
		return nil
	}
	return &Writable{fs}
}
