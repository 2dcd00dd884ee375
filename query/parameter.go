package query

import (
	"regexp"
	"slices"
	"time"
)

// Parameter declares a value that whoever asks an operator's own question gives. Expressions read it as parameters.x, where x is its name
// (Env.Given).
type Parameter struct {
	Label    string   // what it is, where the name does not say as much
	Type     Type     // one of ParameterTypes
	Enum     []string // of a string: the only values; none: any
	Optional bool     // it may be left out
	Default  *string  // of an optional one: its value then, as Read takes it; nil: NULL
}

// ParameterTypes lists the types that a parameter may have.
func ParameterTypes() []Type { return []Type{String, Int, Dec, Bool, Date, Timestamp} }

var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]{0,59}$`)

// Identifier says whether an operator may give a name to something of their own, a parameter say: lower-case letters, digits and _, beginning with
// a letter, at most 60.
func Identifier(name string) bool { return identifier.MatchString(name) }

// Allows says whether a text is one of the values that there are.
func (p Parameter) Allows(text string) bool { return len(p.Enum) == 0 || slices.Contains(p.Enum, text) }

// Read reads the text of a value: what ParseValue reads, and of a timestamp also a date, or a date and a time, on the clock of the zone. The error
// says what form is wanted. Whether it is allowed is another question.
func (p Parameter) Read(text string, zone *time.Location) (Lit, error) {
	v, err := ParseValue(p.Type, text)
	if err != nil && p.Type == Timestamp {
		if at := Compute("timestamp", zone, text); at != nil {
			v, err = at, nil
		}
	}
	if err != nil {
		return Lit{}, err
	}
	return Lit{V: v, T: p.Type}, nil
}

// Blank is Env.Given where nobody has given anything yet: NULL for each parameter, of its type. What is wrong with an expression whatever is given
// shows with it.
func Blank(parameters map[string]Parameter) map[string]Lit {
	out := map[string]Lit{}
	for name, p := range parameters {
		out[name] = Lit{T: p.Type}
	}
	return out
}
