// Package analysis is the toolset for figures over the records of the host: counts, totals, averages and shares by group, as the person who asks.
package analysis

import "example.com/deputy"

// New makes the toolset.
func New() deputy.Toolset {
	return deputy.Toolset{
		Name:        "analysis",
		Description: "Counts, totals, averages and shares over records, by group and period.",
		Tools:       []deputy.Tool{analyzeRecords()},
	}
}
