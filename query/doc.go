// Package query is the language of questions: what can be asked of a host, checked against its catalog, and what it means.
//
// A text is parsed once ([Parse]), checked against a catalog ([Check], [Condition]), its parameters are bound ([Bind]), the
// rules of every table it touches are written into it ([Restrict]), and then a host runs it. [Eval] is the meaning: a host that
// answers differently is wrong. The package knows nothing of people, models or databases.
package query
