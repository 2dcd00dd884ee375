package guard

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/deputy/fault"
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// delete proposes the record, and before it everything that would go along, each as a change of its own: what is deleted is what is shown.
func (w *drafter) delete(ctx context.Context, t *query.Table, c Change) (string, error) {
	r, err := w.record(ctx, t, c)
	if err != nil {
		return "", err
	}
	w.out.Table, w.out.Record = t.Name, r.id
	along := map[string]int{}
	if err := w.gone(ctx, r, c, along, 0); err != nil {
		return "", err
	}
	said := fmt.Sprintf("Delete %s %s", singular(t), r.named())
	if len(along) > 0 {
		w.out.Warnings = append(w.out.Warnings, "With it go: "+counted(along)+".")
		said += " and " + counted(along)
	}
	return said, nil
}

func counted(along map[string]int) string {
	var out []string
	for _, label := range slices.Sorted(maps.Keys(along)) {
		out = append(out, fmt.Sprintf("%d %s", along[label], label))
	}
	return strings.Join(out, ", ")
}

// maxCascade bounds how deep a delete follows children.
const maxCascade = 8

// gone shows a record that is deleted, and adds the changes for it: of what goes along first, then its own. What may not be read is not
// here: the host refuses the delete where something of that kind would go.
func (w *drafter) gone(ctx context.Context, r *record, c Change, along map[string]int, depth int) error {
	w.going[r.t.Name+" "+r.id] = true
	for _, f := range r.t.Fields {
		if old, ok := query.FormatValue(r.values[f.Name]); ok {
			w.out.Lines = append(w.out.Lines, Line{Table: r.t.Name, Record: r.id, RecordLabel: r.label, Verb: policy.Delete,
				Field: f.Name, Label: f.Label, Before: &old, BeforeLabel: r.labels[f.Name]})
		}
	}
	var below []Count
	for _, rel := range r.t.Relations {
		if !rel.Many {
			continue
		}
		n, err := w.below(ctx, r, rel, along, depth)
		if err != nil {
			return err
		}
		if rel.Cascade || rel.Nullify {
			below = append(below, Count{Relation: rel.Name, N: n})
		}
	}
	w.keep(Change{Verb: policy.Delete, Table: r.t.Name, Key: r.key, Version: r.version, VersionOf: r.of, When: c.When, Given: c.Given, Children: below})
	return nil
}

// below deletes the readable children of a relation, or refuses: where they stand in the way, may not be deleted, or are too many to show.
func (w *drafter) below(ctx context.Context, r *record, rel query.Relation, along map[string]int, depth int) (int, error) {
	t, err := w.v.Table(ctx, rel.Table)
	if err != nil {
		return 0, err
	}
	now, found, err := w.find(ctx, t, tied(t, rel, r), maxLines+1)
	if err != nil {
		return 0, err
	}
	if err := w.mayGo(ctx, t, rel, now, found, depth); err != nil {
		return 0, err
	}
	label := strings.ToLower(t.Label)
	for _, child := range found {
		is, _ := query.Keyed(t, child.key)
		if err := w.v.permits(ctx, t, is, policy.Delete); err != nil {
			return 0, err
		}
		if w.going[t.Name+" "+child.id] {
			continue
		}
		along[label]++
		if err := w.gone(ctx, child, Change{}, along, depth+1); err != nil {
			return 0, err
		}
	}
	return len(now), nil
}

// mayGo says whether what stands below a record may go along with it; now is what stands there before the group is applied.
func (w *drafter) mayGo(ctx context.Context, t *query.Table, rel query.Relation, now, found []*record, depth int) error {
	label := strings.ToLower(t.Label)
	rights, err := w.v.Rights(ctx, t.Name)
	switch {
	case err != nil:
		return err
	case len(found) == 0 && len(now) <= maxLines:
		return nil
	case slices.ContainsFunc(found, func(r *record) bool { return r.made }):
		return fault.Errorf(fault.Conflict, "It cannot be deleted: a new record of %s that is proposed in this turn belongs to it.", label)
	case !rel.Cascade:
		err := fault.Errorf(fault.Unprocessable, "It cannot be deleted: %s belong to it (%s). Delete or move them first.", label, ids(found))
		err.Quotes = true
		return err
	case !rights.Delete:
		return fault.Errorf(fault.PermissionDenied, "It cannot be deleted: %s would go with it, and you may not delete those.", label)
	case len(now) > maxLines || len(found) > maxLines || len(w.out.Lines) > maxLines || depth >= maxCascade:
		return fault.Errorf(fault.Unprocessable, "It cannot be deleted: more would go with it than can be shown.")
	}
	return nil
}

func tied(t *query.Table, rel query.Relation, r *record) (m match) {
	for i, to := range rel.To {
		f, _ := t.Field(to)
		m = append(m, valued{f, r.values[rel.From[i]]})
	}
	return m
}

func ids(rs []*record) string {
	var out []string
	for _, r := range rs[:min(len(rs), 5)] {
		out = append(out, r.named())
	}
	if len(rs) > 5 {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
