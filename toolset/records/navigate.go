package records

import (
	"context"
	_ "embed"
	"maps"
	"net/url"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed navigate.md
var navigateText string

type navigateIn struct {
	Target string `json:"target"`
	ID     string `json:"id,omitzero"`
	Where  string `json:"where,omitzero"`
}

// Link is what navigate shows: a link of the server's, never of the model's.
type Link struct {
	Target string `json:"target"`
	ID     string `json:"id,omitzero"`
	Where  string `json:"where,omitzero"`
	Label  string `json:"label,omitzero"` // of the record
	Link   string `json:"link"`
}

type navigator struct{ pages map[string]string }

func navigate(pages map[string]string) deputy.Tool {
	n := navigator{pages}
	return deputy.DisplayTool(deputy.Definition{
		Name: "navigate", Label: "Offered a link", Description: strings.TrimSpace(navigateText),
		Operation: "GET /pages/{target}", Offered: n.offered,
	}, n.run)
}

// offered says whether there is a page for a table that this person may read.
func (n navigator) offered(ctx context.Context, v *deputy.View) (bool, error) {
	for _, name := range slices.Sorted(maps.Keys(n.pages)) {
		_, err := v.Table(ctx, name)
		if err == nil {
			return true, nil
		}
		if deputy.CodeOf(err) != deputy.NotFound {
			return false, err
		}
	}
	return false, nil
}

func (n navigator) run(ctx context.Context, s *deputy.Scope, in navigateIn) (deputy.Display, error) {
	if _, err := s.View().Table(ctx, in.Target); err != nil {
		return deputy.Display{}, err
	}
	page, err := n.page(in)
	if err != nil {
		return deputy.Display{}, err
	}
	if _, err := s.View().Condition(ctx, in.Target, in.Where); err != nil {
		return deputy.Display{}, err
	}
	out := Link{Target: in.Target, Where: in.Where}
	if in.ID != "" {
		if out.ID, out.Label, err = opened(ctx, s.View(), in.Target, in.ID); err != nil {
			return deputy.Display{}, err
		}
	}
	out.Link = strings.NewReplacer("{id}", escape(out.ID), "{where}", escape(in.Where)).Replace(page)
	return deputy.Display{View: out, Text: said(out)}, nil
}

// page is the template for a request, which must give exactly what the template has a place for.
func (n navigator) page(in navigateIn) (string, error) {
	page, ok := n.pages[in.Target]
	hasID, hasWhere := strings.Contains(page, "{id}"), strings.Contains(page, "{where}")
	switch {
	case !ok:
		return "", deputy.Errorf(deputy.NotFound, "the application has no page for %s", in.Target)
	case hasID && in.ID == "":
		return "", deputy.Errorf(deputy.Invalid, "the page for %s shows one record: give its `id`", in.Target)
	case !hasID && in.ID != "":
		return "", deputy.Errorf(deputy.Invalid, "the page for %s shows no single record: leave out `id`", in.Target)
	case !hasWhere && in.Where != "":
		return "", deputy.Errorf(deputy.Invalid, "the page for %s takes no condition: leave out `where`", in.Target)
	}
	return page, nil
}

// opened gives the one form of a record's id, and its label. A record that the person may not read is like one that is not there.
func opened(ctx context.Context, v *deputy.View, table, id string) (string, string, error) {
	key, _, err := v.Key(ctx, table, id)
	if err != nil {
		return "", "", err
	}
	label, err := v.Label(ctx, table, id)
	if err != nil {
		return "", "", err
	}
	if id = query.RecordID(key); id == "." || id == ".." { // a browser would take it for a folder
		return "", "", deputy.Errorf(deputy.Invalid, "there is no link to the record %s %s", table, id)
	}
	return id, label, nil
}

// escape makes a text safe in the path and in the query of a link.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

func said(l Link) string {
	what := l.Target
	if l.ID != "" {
		what += " " + l.ID
	}
	if l.Label != "" {
		what += " (" + l.Label + ")"
	}
	return "Offered the person a link to " + what + ": " + l.Link
}
