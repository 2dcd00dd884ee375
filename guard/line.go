package guard

import (
	"example.com/deputy/policy"
)

// Line is one line of what a person is asked to confirm: a field before and after.
type Line struct {
	Table       string
	Record      string
	RecordLabel string `json:",omitempty"`
	Verb        policy.Verb
	Field       string
	Label       string
	Before      *string // nil is NULL, or nothing
	After       *string
	BeforeLabel string `json:",omitempty"` // of the record a foreign key leads to
	AfterLabel  string `json:",omitempty"`
	Source      Source `json:",omitempty"`
}

// Source says where a new value comes from.
type Source string

// The sources.
const (
	SourcePerson Source = "person" // stands in the person's messages of this conversation
	SourceData   Source = "data"   // equals a cell returned in this conversation
	SourceModel  Source = "model"  // in neither
	// SourceDefault: nobody gives a value. The host sets it, to After, or where that is nil to what it makes itself: a key, the time. It is shown,
	// and no part of what is written.
	SourceDefault Source = "default"
)
