package kernel

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"example.com/deputy"
)

//go:embed current_datetime.md
var currentDatetimeText string

type currentDatetimeIn struct {
	Zone string `json:"zone,omitzero"`
}

// Datetime is a moment as people say it.
type Datetime struct {
	Date    string `json:"date"`
	Time    string `json:"time"`
	Zone    string `json:"zone"`
	Offset  string `json:"offset"`
	Weekday string `json:"weekday"`
	Week    string `json:"week"` // ISO 8601: 2026-W05
}

func currentDatetime() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "current_datetime", Label: "Looked at the clock", Description: strings.TrimSpace(currentDatetimeText),
		Operation: "GET /clock", NoHost: true,
	}, runCurrentDatetime)
}

func runCurrentDatetime(_ context.Context, s *deputy.Scope, in currentDatetimeIn) (deputy.Result, error) {
	clock := s.Clock()
	zone := clock.Zone
	if in.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(in.Zone); err != nil || in.Zone == "Local" {
			return deputy.Result{}, deputy.Errorf(deputy.Invalid, "unknown zone `%s`: give an IANA name like Europe/Oslo or UTC", in.Zone)
		}
	}
	if zone == nil {
		zone = time.UTC
	}
	return deputy.Result{Value: datetime(clock.Now.In(zone))}, nil
}

func datetime(t time.Time) Datetime {
	year, week := t.ISOWeek()
	return Datetime{t.Format(time.DateOnly), t.Format(time.TimeOnly), t.Location().String(), t.Format("-07:00"), t.Weekday().String(),
		fmt.Sprintf("%04d-W%02d", year, week)}
}
