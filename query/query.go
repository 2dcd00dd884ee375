package query

// Column is one column of a result.
type Column struct {
	As    string // its name: a field, a field's name and ".label", or the text of an expression
	Label string // for people
	Expr  Expr
}

// Order is one sort key; NULL comes last whatever the direction.
type Order struct {
	Expr Expr
	Desc bool
}

// Query asks for rows. After the guard Select is never empty: a host returns what is named and nothing else.
type Query struct {
	Table   string
	Where   Expr // nil: every row
	Select  []Column
	Order   []Order // the host adds the primary key, so that the order is total
	Limit   int     // most rows; the host says whether there are more
	Offset  int
	Version []string // fields whose values make the version of each row, see Version; nil: none wanted
}

// Rows is the one form of a result.
type Rows struct {
	Columns  []Column
	Rows     [][]Value
	Versions []string // opaque, one a row, when asked for
	HasMore  bool     // there are more than Limit
}
