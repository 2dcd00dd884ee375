// Package kernel is the toolset of what needs neither the host nor any data: exact arithmetic and the clock.
package kernel

import "example.com/deputy"

// New makes the toolset.
func New() deputy.Toolset {
	return deputy.Toolset{Name: "kernel", Description: "Calculate exactly and tell the time.", Tools: []deputy.Tool{calculate(), currentDatetime()}}
}
