package query

import (
	"fmt"
	"strings"
)

// Error is what is wrong with an expression, in words for whoever wrote it: what, where, and how to mend it.
type Error struct {
	At      int    // column, in characters from 1; 0: not known
	Message string // with suggestions, without the place
}

// Error gives the place and the message.
func (e *Error) Error() string {
	if e.At == 0 {
		return e.Message
	}
	return fmt.Sprintf("column %d: %s", e.At, e.Message)
}

func failAt(at int, format string, args ...any) *Error {
	return &Error{At: at, Message: fmt.Sprintf(format, args...)}
}

// names shows names in an error: `a`, `b`.
func names(list []string) string {
	return "`" + strings.Join(list, "`, `") + "`"
}
