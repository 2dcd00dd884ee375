package records

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
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

// Bounds of an answer.
const (
	mostDescribed = 10       // tables
	roomDescribed = 30 << 10 // bytes
	mostValues    = 50       // of one value list
)

// TableInfo is one table of describe_table. Of a table that alone is larger than an answer, what did not fit is named in MoreFields,
// MoreParents and MoreChildren.
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

	MoreFields   []string `json:"more_fields,omitempty"`
	MoreParents  []string `json:"more_parents,omitempty"`
	MoreChildren []string `json:"more_children,omitempty"`
}

// FieldInfo is one field. Parent names the parent it leads to; MoreValues is how many values there are besides those that are listed.
type FieldInfo struct {
	Name       string     `json:"name"`
	Label      string     `json:"label,omitzero"`
	Comment    string     `json:"comment,omitzero"`
	Type       query.Type `json:"type"`
	Required   bool       `json:"required,omitzero"`
	Values     []string   `json:"values,omitempty"`
	MoreValues int        `json:"more_values,omitzero"`
	ReadOnly   bool       `json:"read_only,omitzero"`
	Secret     bool       `json:"secret,omitzero"`
	Default    string     `json:"default,omitzero"`
	Parent     string     `json:"parent,omitzero"`
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

// TableInfos is what describe_table answers. LeftOut are those of the tables asked for that did not fit.
type TableInfos struct {
	Tables  []TableInfo `json:"tables"`
	LeftOut []string    `json:"left_out,omitempty"`
}

func describeTable() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "describe_table", Label: "Looked at a table's fields", Description: strings.TrimSpace(describeTableText),
		Operation: "GET /tables/{tables}", Offered: readable,
	}, runDescribeTable)
}

func runDescribeTable(ctx context.Context, s *deputy.Scope, in describeTableIn) (deputy.Result, error) {
	if len(in.Tables) == 0 || len(in.Tables) > mostDescribed {
		return deputy.Result{}, deputy.Errorf(deputy.Invalid, "`tables` must name 1 to %d tables: ask for the others in another call", mostDescribed)
	}
	out, room := TableInfos{}, roomDescribed
	names := once(in.Tables)
	for i, name := range names {
		d, err := described(ctx, s.View(), name)
		if err != nil {
			return deputy.Result{}, err
		}
		if n := size(d); n > room {
			if i > 0 {
				out.LeftOut = names[i:]
				break
			}
			d = d.within(room)
		}
		out.Tables, room = append(out.Tables, d), room-size(d)
	}
	return deputy.Result{Value: out}, nil
}

// once are names without those that stand a second time.
func once(names []string) (out []string) {
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func described(ctx context.Context, v *deputy.View, name string) (TableInfo, error) {
	t, err := v.Table(ctx, name)
	if err != nil {
		return TableInfo{}, err
	}
	rights, err := v.Rights(ctx, name)
	if err != nil {
		return TableInfo{}, err
	}
	return describe(t, rights), nil
}

// within is a table that takes about so many bytes: without comments, and with names alone of what is too much.
func (d TableInfo) within(most int) TableInfo {
	d.Comment = ""
	for i := range d.Fields {
		d.Fields[i].Comment = ""
	}
	fields, parents, children := d.Fields, d.Parents, d.Children
	d.Fields, d.MoreFields = fitting(fields, most*7/16, most/8, func(f FieldInfo) string { return f.Name })
	d.Parents, d.MoreParents = fitting(parents, most/16, most/16, func(p ParentInfo) string { return p.Name })
	d.Children, d.MoreChildren = fitting(children, most/8, most/8, func(c ChildInfo) string { return c.Name })
	return d
}

// fitting are the first of a list that take no more than so many bytes, and the names of the others, as many as fit in so many more: the last
// says how many are not even named.
func fitting[T any](list []T, most, mostNames int, name func(T) string) (fit []T, more []string) {
	for len(fit) < len(list) && most >= size(list[len(fit)]) {
		most -= size(list[len(fit)])
		fit = append(fit, list[len(fit)])
	}
	for i, rest := range list[len(fit):] {
		if mostNames -= size(name(rest)); mostNames < 0 {
			return fit, append(more, fmt.Sprintf("… and %d more", len(list)-len(fit)-i))
		}
		more = append(more, name(rest))
	}
	return fit, more
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
	values := f.Values[:min(len(f.Values), mostValues)]
	return FieldInfo{Name: f.Name, Label: unlike(f.Label, f.Name), Comment: short(f.Comment), Type: f.Type, Required: f.Required, Values: values, MoreValues: len(f.Values) - len(values),
		ReadOnly: f.ReadOnly || f.Generated, Secret: f.Secret, Default: short(f.Default), Parent: parent.Name}
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
