package sqldb

import (
	"slices"
	"strings"

	"example.com/deputy"
)

// refusal is the answer to a write that the database refused: which field, never whose record. Where it broke, that is the error.
func (g *group) refusal(t *table, w deputy.Write, err error) (deputy.Applied, error) {
	switch f := g.h.db.fault(err); {
	case f.constraint():
		return refuse(deputy.Failed, "%s", constraintRefusal(t, w, f, g.h.db.blamed(t, err))), nil
	case f == outdated:
		return refuse(deputy.Outdated, recordChanged), nil
	case f == denied:
		return refuse(deputy.Failed, notLet), nil
	case f == badValue:
		return refuse(deputy.Failed, "The database takes no such value%s.", among(t, w)), nil
	}
	return deputy.Applied{}, err
}

// among names the fields that a value of a write is for.
func among(t *table, w deputy.Write) string {
	var names []string
	for _, a := range w.Values {
		if _, ok := t.byField[a.Field]; ok && a.Text != nil {
			names = append(names, a.Field)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " for " + strings.Join(names, " or ")
}

func constraintRefusal(t *table, w deputy.Write, f fault, columns []string) string {
	names := strings.Join(t.fields(columns), ", ")
	switch {
	case f == otherRule:
		return ownRules
	case w.Verb == deputy.Delete:
		return hasChildren
	case f == notRelated:
		return foreignRefusal(t, w)
	case f == checkFailed:
		return checkRefusal(t, w, names)
	case names == "":
		return "The database's own rules refuse these values."
	case f == notNull:
		return names + " must have a value."
	}
	return "Another record has this value already: " + names + "."
}

func foreignRefusal(t *table, w deputy.Write) string {
	var fields []string
	for _, f := range t.foreign {
		for _, name := range t.fields(f.from) {
			assigned := slices.ContainsFunc(w.Values, func(a deputy.Assign) bool { return a.Field == name && a.Text != nil })
			if assigned && !slices.Contains(fields, name) {
				fields = append(fields, name)
			}
		}
	}
	if len(fields) == 0 {
		return "Other records refer to this one, so its key cannot be changed."
	}
	return "There is no such record: " + strings.Join(fields, " or ") + "."
}

// checkRefusal names the fields of the check that the database blames, else those that are assigned and stand in any check.
func checkRefusal(t *table, w deputy.Write, names string) string {
	var checked []string
	for _, a := range w.Values {
		f := t.byField[a.Field].field
		if a.Text != nil && f.Values != nil && !slices.Contains(f.Values, *a.Text) {
			return a.Field + " must be one of: " + strings.Join(f.Values, ", ") + "."
		}
		if slices.Contains(t.checked, t.byField[a.Field].name) {
			checked = append(checked, a.Field)
		}
	}
	if names == "" {
		names = strings.Join(checked, ", ")
	}
	if names == "" {
		return "The database's own rules refuse these values."
	}
	return "The database's own rules refuse these values: " + names + "."
}
