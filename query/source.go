package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"

	"example.com/deputy/internal/decimal"
)

// The bounds of an expression.
const (
	MaxLength = 4096 // characters
	MaxDepth  = 32   // levels, one inside another
	MaxNames  = 64   // names, a dotted path counting once
	MaxItems  = 200  // items of one list
)

// Source is an expression parsed and not yet checked. It is immutable: parsed once, it can be checked for everybody.
type Source struct {
	text  string
	runes []rune
	ast   *ast.AST
}

// String is the text that was parsed.
func (s *Source) String() string { return s.text }

// Parse reads the text of an expression: the syntax of CEL, without its macros. Its errors are *Error.
func Parse(text string) (*Source, error) {
	switch {
	case !utf8.ValidString(text):
		return nil, failAt(0, "the expression is not valid UTF-8")
	case utf8.RuneCountInString(text) > MaxLength:
		return nil, failAt(0, "the expression is longer than %d characters", MaxLength)
	case strings.TrimSpace(text) == "":
		return nil, failAt(0, "the expression is empty")
	}
	p, err := parser.NewParser(parser.MaxRecursionDepth(4*MaxDepth), parser.ExpressionSizeCodePointLimit(MaxLength), parser.ErrorRecoveryLimit(1))
	if err != nil {
		return nil, err
	}
	tree, errs := p.Parse(common.NewTextSource(text))
	s := &Source{text: text, runes: []rune(text), ast: tree}
	if list := errs.GetErrors(); len(list) > 0 {
		return nil, s.syntaxError(list[0])
	}
	if err := (&measure{src: s}).walk(tree.Expr(), 1); err != nil {
		return nil, err
	}
	return s, nil
}

// ParseOrder reads a sort key: an expression, then optionally the word asc or desc.
func ParseOrder(text string) (src *Source, desc bool, err error) {
	text = strings.TrimSpace(text)
	if cut := strings.LastIndexFunc(text, unicode.IsSpace); cut > 0 {
		switch strings.ToLower(strings.TrimSpace(text[cut:])) {
		case "desc":
			desc, text = true, text[:cut]
		case "asc":
			text = text[:cut]
		}
	}
	src, err = Parse(text)
	return src, desc, err
}

// measure counts what is bounded, and refuses what is syntax of CEL and not of the language.
type measure struct {
	src   *Source
	names int
}

func (m *measure) walk(e ast.Expr, depth int) error {
	if depth > MaxDepth {
		return failAt(m.src.at(e), "the expression is nested deeper than %d levels", MaxDepth)
	}
	switch e.Kind() {
	case ast.IdentKind:
		if m.names++; m.names > MaxNames {
			return failAt(m.src.at(e), "the expression has more than %d names", MaxNames)
		}
	case ast.SelectKind:
		return m.walk(e.AsSelect().Operand(), depth)
	case ast.CallKind:
		return m.call(e.AsCall(), depth)
	case ast.ListKind:
		items := e.AsList().Elements()
		if len(items) > MaxItems {
			return failAt(m.src.at(e), "the list has more than %d items", MaxItems)
		}
		return m.all(items, depth+1)
	case ast.LiteralKind:
		_, err := m.src.literal(e)
		return err
	default:
		return failAt(m.src.at(e), "{…} is not part of the language")
	}
	return nil
}

func (m *measure) call(call ast.CallExpr, depth int) error {
	if call.IsMemberFunction() {
		if err := m.walk(call.Target(), depth+1); err != nil {
			return err
		}
	}
	return m.all(call.Args(), depth+1)
}

func (m *measure) all(es []ast.Expr, depth int) error {
	for _, e := range es {
		if err := m.walk(e, depth); err != nil {
			return err
		}
	}
	return nil
}

// at is the column to name for a node: its first character, but the operator of what has one, and the opening bracket of a call.
func (s *Source) at(e ast.Expr) int {
	for {
		switch {
		case e.Kind() == ast.SelectKind:
			e = e.AsSelect().Operand()
		case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "_[_]":
			e = e.AsCall().Args()[0]
		default:
			return s.markAt(e)
		}
	}
}

// markAt is the column of the node's own mark, which is the dot or bracket of a path.
func (s *Source) markAt(e ast.Expr) int {
	r, ok := s.ast.SourceInfo().GetOffsetRange(e.ID())
	if !ok {
		return 0
	}
	return int(r.Start) + 1
}

// nameAt is the column of the name that stands before the bracket of a call, or after the dot of a selection.
func (s *Source) nameAt(e ast.Expr) int {
	at := s.markAt(e)
	if e.Kind() == ast.SelectKind {
		for at < len(s.runes) && unicode.IsSpace(s.runes[at]) {
			at++
		}
		return at + 1
	}
	end := at - 1
	for end > 0 && unicode.IsSpace(s.runes[end-1]) {
		end--
	}
	if e.Kind() == ast.CallKind && end > 0 {
		return max(end-utf8.RuneCountInString(e.AsCall().FunctionName())+1, 1)
	}
	return at
}

// literal reads a constant. A decimal comes from the parser as a float and is read again from the text.
func (s *Source) literal(e ast.Expr) (Lit, error) {
	switch v := e.AsLiteral().(type) {
	case types.Double:
		text, ok := s.number(s.markAt(e) - 1)
		if d, isDecimal := decimal.Parse(text); ok && isDecimal && d.Scale() <= 20 {
			if _, ok := d.Limit(); ok {
				return Lit{V: Decimal(text), T: Dec}, nil
			}
		}
		return Lit{}, failAt(s.at(e), "the number is too large or has more than 20 digits after the point")
	case types.Int:
		return Lit{V: int64(v), T: Int}, nil
	case types.String:
		return Lit{V: string(v), T: String}, nil
	case types.Bool:
		return Lit{V: bool(v), T: Bool}, nil
	case types.Null:
		return Lit{T: Null}, nil
	case types.Uint:
		return Lit{}, failAt(s.at(e), "write the number without u")
	}
	return Lit{}, failAt(s.at(e), `write the text without b: "…"`)
}

// number reads the text of the fractional number that starts at an offset, in plain notation. The parser allows spaces and comments after the
// sign.
func (s *Source) number(from int) (string, bool) {
	if from < 0 || from >= len(s.runes) {
		return "", false
	}
	sign, rest := "", s.runes[from:]
	if rest[0] == '-' {
		sign, rest = "-", skipBlanks(rest[1:])
	}
	n := 0
	for n < len(rest) && (strings.ContainsRune("0123456789.eE", rest[n]) || n > 0 && strings.ContainsRune("+-", rest[n]) && strings.ContainsRune("eE", rest[n-1])) {
		n++
	}
	text, ok := decimal.Expand(string(rest[:n]))
	return sign + text, ok
}

func skipBlanks(rs []rune) []rune {
	for len(rs) > 0 {
		switch {
		case unicode.IsSpace(rs[0]):
			rs = rs[1:]
		case rs[0] == '/':
			for len(rs) > 0 && rs[0] != '\n' {
				rs = rs[1:]
			}
		default:
			return rs
		}
	}
	return rs
}
