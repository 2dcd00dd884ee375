// Package query is the language of questions: what can be asked of a host, checked against its catalog, and what it means.
//
// A text is parsed once ([Parse]), checked against a catalog ([Check], [Condition], [SortKey]), its parameters are bound ([Bind]), the
// rules of every table it touches are written into it ([Restrict]), and then a host runs it. [Eval] is the meaning: a host that
// answers differently is wrong; [Compute] is the meaning of each operator, and [Ops] lists them. The package knows nothing of people, models
// or databases.
//
// Conditions are two-valued: a comparison with NULL is false, != is exactly the negation of ==, only the literal null matches NULL, and what
// is NULL counts as false. Everything is total: overflow, range and conversion give NULL. Everything is exact: no number passes through a
// float. Types are fixed by the check: both sides of a comparison have one type, or are numbers; a date beside a timestamp has become the
// start of its day; texts have become the dates and numbers they stand for. What is not understood is refused with an [Error] that teaches.
package query
