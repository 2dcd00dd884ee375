// Package present is the toolset for showing results to the person: a view over the rows of a call, never rows of its own.
package present

import "example.com/deputy"

// New makes the toolset.
func New() deputy.Toolset {
	return deputy.Toolset{Name: "present", Description: "Show results to the person.", Tools: []deputy.Tool{presentResults()}}
}
