// Package analysis is the toolset for figures over the records of the host: counts, totals, averages and shares by group, as the person who asks;
// and for such questions that are kept.
package analysis

import "example.com/deputy"

// New makes the toolset without analyses that are kept: analyze_records alone.
func New() deputy.Toolset { return Saving(nil) }

// Saving makes the toolset with analyses that are kept in a store; nil: none are.
func Saving(saved deputy.Analyses) deputy.Toolset {
	k := keeper{saved}
	s := deputy.Toolset{
		Name:        "analysis",
		Description: "Counts, totals, averages and shares over records, by group and period.",
		Tools:       []deputy.Tool{k.analyzeRecords()},
	}
	if saved != nil {
		s.Tools = append(s.Tools, k.listAnalyses(), k.saveAnalysis())
	}
	return s
}
