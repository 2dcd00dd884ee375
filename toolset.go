package deputy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/deputy/internal/plain"
)

// Toolset is a named group of tools. Those of the core are always offered; every other one starts inactive in a conversation, and is
// activated by the model, by the person, or by use.
type Toolset struct {
	Name        string // what a model activates it by
	Description string // for the model and the person: at most 400 characters, longer ones are cut and the operator's log says so
	Tools       []Tool
	Tables      []string // a turn whose screen shows one of them starts with the set active
}

// maxDescription bounds what is told of a toolset, in characters.
const maxDescription = 400

// callable is what every vendor takes for the name of a tool; a toolset that is not of the core is named like one.
var callable = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// registry finds tools by name. It is made once and never changes.
type registry struct {
	tools map[string]Tool
	core  []string          // names of tools, sorted: what is always offered
	sets  []Toolset         // all others, as they were configured, the tools of each sorted by name
	of    map[string]string // the set of a tool that is not of the core
}

// newRegistry registers toolsets. core names those that are always offered; nil: all of them.
func newRegistry(sets []Toolset, core []string) (*registry, error) {
	r := &registry{tools: map[string]Tool{}, of: map[string]string{}}
	var errs []error
	for _, set := range sets {
		always := core == nil || slices.Contains(core, set.Name)
		errs = append(errs, r.add(set, always)...)
	}
	for _, name := range core {
		if !slices.ContainsFunc(sets, func(s Toolset) bool { return s.Name == name }) {
			errs = append(errs, fmt.Errorf("Config.Core: there is no toolset %s", name))
		}
	}
	if len(r.tools) == 0 {
		errs = append(errs, errors.New("no tools: Config.Toolsets is empty"))
	}
	if len(r.sets) > 0 {
		errs = append(errs, r.add(switches(), true)...)
	}
	slices.Sort(r.core)
	return r, errors.Join(errs...)
}

// add registers a toolset.
func (r *registry) add(set Toolset, always bool) (errs []error) {
	for _, t := range set.Tools {
		name := t.def.Name
		switch _, twice := r.tools[name]; {
		case t.err != nil:
			errs = append(errs, t.err)
		case !callable.MatchString(name):
			errs = append(errs, fmt.Errorf("toolset %s: a tool named %q: vendors take 1 to 64 of a to z, A to Z, 0 to 9, _ and -", set.Name, name))
		case twice:
			errs = append(errs, fmt.Errorf("two tools are named %s", name))
		}
		if r.tools[name] = t; always {
			r.core = append(r.core, name)
		} else {
			r.of[name] = set.Name
		}
	}
	if always {
		return errs
	}
	switch {
	case strings.TrimSpace(set.Name) == "" || r.has(set.Name):
		errs = append(errs, fmt.Errorf("toolset %q: each that is not of the core needs a name of its own", set.Name))
	case !callable.MatchString(set.Name): // it stands in a line of the prompt and in a path
		errs = append(errs, fmt.Errorf("toolset %q: one that is not of the core is named in 1 to 64 of a to z, A to Z, 0 to 9, _ and -", set.Name))
	}
	set.Tools = slices.Clone(set.Tools)
	slices.SortFunc(set.Tools, func(a, b Tool) int { return strings.Compare(a.def.Name, b.def.Name) })
	set.Description = described(set.Description)
	r.sets = append(r.sets, set)
	return errs
}

// described is a description on one line, of bounded length.
func described(text string) string {
	line := []rune(strings.Join(strings.Fields(plain.Stripped(text)), " "))
	if len(line) > maxDescription {
		return string(line[:maxDescription-1]) + "…"
	}
	return string(line)
}

// excess says what of the toolsets is not told to models, for the operator.
func (c Config) excess(r *registry) (out []string) {
	for _, set := range c.Toolsets {
		if n := len([]rune(set.Description)); r.has(set.Name) && n > maxDescription {
			out = append(out, fmt.Sprintf("toolset %s: its description has %d characters; %d are told", set.Name, n, maxDescription))
		}
	}
	if over := len(r.sets) - c.Limits.Toolsets; over > 0 {
		out = append(out, fmt.Sprintf("%d toolsets, of which a model is told of %d; not of: %s", len(r.sets), c.Limits.Toolsets, strings.Join(names(r.sets[c.Limits.Toolsets:]), ", ")))
	}
	return out
}

// has says whether there is a set of this name apart from the core.
func (r *registry) has(name string) bool {
	return slices.Contains(names(r.sets), name)
}

func names(sets []Toolset) []string {
	out := make([]string, len(sets))
	for i, s := range sets {
		out[i] = s.Name
	}
	return out
}
