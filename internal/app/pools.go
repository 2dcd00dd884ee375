package app

import (
	"database/sql"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/deputy"
)

// pooled is a part that stands on pools of connections.
type pooled interface{ Pools() map[string]sql.DBStats }

// poolsOf are the parts with pools, by what they are.
func poolsOf(host deputy.Host, store deputy.Store) map[string]pooled {
	out := map[string]pooled{}
	if p, ok := host.(pooled); ok {
		out["host"] = p
	}
	if p, ok := store.Settings.(pooled); ok {
		out["store"] = p
	}
	return out
}

// pools tells of connections when it is asked.
type pools struct {
	of                        map[string]pooled
	open, most, waits, waited *prometheus.Desc
}

func newPools(of map[string]pooled) *pools {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("deputy_database_"+name, help, append([]string{"database", "pool"}, labels...), nil)
	}
	return &pools{
		of:     of,
		open:   desc("connections", "Open connections to the host's database and to the store's, by pool and by state: used or idle.", "state"),
		most:   desc("connections_max", "How many a pool may have."),
		waits:  desc("connection_waits_total", "How often a connection was waited for."),
		waited: desc("connection_wait_seconds_total", "How long connections were waited for."),
	}
}

// Describe implements prometheus.Collector.
func (p *pools) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{p.open, p.most, p.waits, p.waited} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (p *pools) Collect(out chan<- prometheus.Metric) {
	for database, part := range p.of {
		for pool, s := range part.Pools() {
			tell := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
				out <- prometheus.MustNewConstMetric(d, kind, v, append([]string{database, pool}, labels...)...)
			}
			tell(p.open, prometheus.GaugeValue, float64(s.InUse), "used")
			tell(p.open, prometheus.GaugeValue, float64(s.Idle), "idle")
			tell(p.most, prometheus.GaugeValue, float64(s.MaxOpenConnections))
			tell(p.waits, prometheus.CounterValue, float64(s.WaitCount))
			tell(p.waited, prometheus.CounterValue, s.WaitDuration.Seconds())
		}
	}
}
