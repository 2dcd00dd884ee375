package deputy

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// Toolset is a named group of tools.
type Toolset struct {
	Name, Description string
	Tools             []Tool
}

// callable is what every vendor takes for the name of a tool.
var callable = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// registry finds tools by name. It is made once and never changes.
type registry struct {
	tools map[string]Tool
	order []string // by name
}

func newRegistry(sets []Toolset) (*registry, error) {
	r := &registry{tools: map[string]Tool{}}
	var errs []error
	for _, set := range sets {
		for _, t := range set.Tools {
			switch _, twice := r.tools[t.def.Name]; {
			case t.err != nil:
				errs = append(errs, t.err)
			case !callable.MatchString(t.def.Name):
				errs = append(errs, fmt.Errorf("toolset %s: a tool named %q: vendors take 1 to 64 of a to z, A to Z, 0 to 9, _ and -", set.Name, t.def.Name))
			case twice:
				errs = append(errs, fmt.Errorf("two tools are named %s", t.def.Name))
			}
			r.tools[t.def.Name] = t
		}
	}
	if len(r.tools) == 0 {
		errs = append(errs, errors.New("no tools: Config.Toolsets is empty"))
	}
	for name := range r.tools {
		r.order = append(r.order, name)
	}
	slices.SortFunc(r.order, strings.Compare)
	return r, errors.Join(errs...)
}

// check asks every tool for its mistakes.
func (r *registry) check(ctx context.Context, full query.Catalog) error {
	var errs []error
	for _, name := range r.order {
		if check := r.tools[name].def.Check; check != nil {
			errs = append(errs, check(ctx, full))
		}
	}
	return errors.Join(errs...)
}
