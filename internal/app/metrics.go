package app

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"example.com/deputy"
)

// metrics are what is counted of one server. Labels are names of the configuration, of the registry of tools and of routes, and codes: never a
// person, a conversation, a table, or what anybody wrote.
type metrics struct {
	registry    *prometheus.Registry
	turns       *prometheus.CounterVec // by channel, reason
	turnTime    *prometheus.HistogramVec
	turnsNow    prometheus.Gauge
	modelCalls  *prometheus.CounterVec // by model, outcome
	modelTime   *prometheus.HistogramVec
	tokens      *prometheus.CounterVec // by model, kind
	toolCalls   *prometheus.CounterVec // by tool, phase, outcome
	toolTime    *prometheus.HistogramVec
	proposals   *prometheus.CounterVec // by state
	confirmsNow prometheus.Gauge
	rowsLost    prometheus.Counter
	requests    *prometheus.CounterVec // by route, status
	requestTime *prometheus.HistogramVec
	streamsNow  prometheus.Gauge
}

func newMetrics() *metrics {
	r := prometheus.NewRegistry()
	quick := []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30} // seconds: of tools and requests
	patient := []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320}    // of what waits for a model
	m := &metrics{
		registry:    r,
		turns:       counter(r, "turns_total", "Turns that ended here, by reason; left: this process is being stopped, another goes on with it; lost: another process goes on with it, or its end could not be stored.", "channel", "reason"),
		turnTime:    histogram(r, "turn_duration_seconds", "From the start of a turn to its end.", patient, "channel"),
		turnsNow:    gauge(r, "turns_running", "Turns that this process works on."),
		modelCalls:  counter(r, "model_calls_total", "Model calls, by outcome: ok, cancelled, or the code of the error.", "model", "outcome"),
		modelTime:   histogram(r, "model_call_duration_seconds", "From the request to the end of the answer.", patient, "model"),
		tokens:      counter(r, "model_tokens_total", "Tokens as the vendor counts them: input, cached_input (a part of input), output.", "model", "kind"),
		toolCalls:   counter(r, "tool_calls_total", "Rows of tool calls in the tool-call log, by phase: turn, or result (read again for its owner). Tool unknown: none that the person has.", "tool", "phase", "outcome"),
		toolTime:    histogram(r, "tool_call_duration_seconds", "Of tool calls.", quick, "tool"),
		proposals:   counter(r, "proposals_total", "Proposals that came into a state, by the tool-call log; unknown: sent, and nobody knows what became of it.", "state"),
		confirmsNow: gauge(r, "confirmations_running", "Groups of proposals that this process carries out."),
		rowsLost:    counter(r, "tool_call_log_failures_total", "Writes to the tool-call log that failed.").WithLabelValues(),
		requests:    counter(r, "http_requests_total", "Requests, by route and status; route page: the page's own files; other: none there is.", "route", "status"),
		requestTime: histogram(r, "http_request_duration_seconds", "From the request to the end of the answer; event streams apart.", quick, "route"),
		streamsNow:  gauge(r, "http_event_streams_open", "Event streams that are read."),
	}
	for _, state := range []deputy.State{deputy.Pending, deputy.Confirming, deputy.Done, deputy.Failed, deputy.Unknown, deputy.Rejected, deputy.Expired, deputy.Outdated} {
		m.proposals.WithLabelValues(string(state)) // there from the start: a first one is then seen as growth
	}
	for _, reason := range []deputy.Reason{deputy.Answered, deputy.ModelError, deputy.Interrupted, deputy.InternalReason} {
		m.turns.WithLabelValues(string(deputy.Chat), string(reason))
	}
	r.MustRegister(buildMetric(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func counter(r *prometheus.Registry, name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "deputy", Name: name, Help: help}, labels)
	r.MustRegister(c)
	return c
}

func histogram(r *prometheus.Registry, name, help string, buckets []float64, label string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "deputy", Name: name, Help: help, Buckets: buckets}, []string{label})
	r.MustRegister(h)
	return h
}

func gauge(r *prometheus.Registry, name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "deputy", Name: name, Help: help})
	r.MustRegister(g)
	return g
}

// buildMetric is 1, with the build as its labels.
func buildMetric() prometheus.Collector {
	v := version()
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: "deputy", Name: "build_info", Help: "Always 1; the labels are the build.",
		ConstLabels: prometheus.Labels{"version": v.Version, "commit": v.Commit, "go_version": runtime.Version()},
	})
	g.Set(1)
	return g
}

// began counts work that begins.
func (m *metrics) began(s deputy.Span) {
	switch s.Kind {
	case "turn":
		m.turnsNow.Inc()
	case "confirm":
		m.confirmsNow.Inc()
	}
}

// ended counts work that has ended; ctx is the one it began in. Tools are counted by their rows.
func (m *metrics) ended(ctx context.Context, s deputy.Span, took time.Duration) {
	switch s.Kind {
	case "turn":
		m.turns.WithLabelValues(string(s.Channel), turnEnd(s)).Inc()
		m.turnTime.WithLabelValues(string(s.Channel)).Observe(took.Seconds())
		m.turnsNow.Dec()
	case "confirm":
		m.confirmsNow.Dec()
	case "model":
		m.modelCalls.WithLabelValues(s.Model.Name, modelOutcome(ctx, s)).Inc()
		m.modelTime.WithLabelValues(s.Model.Name).Observe(took.Seconds())
		for kind, n := range map[string]int64{"input": s.Usage.Input, "cached_input": s.Usage.CachedInput, "output": s.Usage.Output} {
			m.tokens.WithLabelValues(s.Model.Name, kind).Add(float64(max(n, 0)))
		}
	}
}

// turnEnd is why a turn ended. One that has not is left by a process that is being stopped, or lost.
func turnEnd(s deputy.Span) string {
	switch {
	case s.Code != "":
		return "lost"
	case s.Reason == "":
		return "left"
	}
	return string(s.Reason)
}

// modelOutcome is what became of a model call: one that its turn broke off did not fail.
func modelOutcome(ctx context.Context, s deputy.Span) string {
	switch {
	case s.Code == "":
		return "ok"
	case errors.Is(ctx.Err(), context.Canceled):
		return "cancelled"
	}
	return string(s.Code)
}

// countedLog is the tool-call log, its rows counted once they are stored.
type countedLog struct {
	deputy.Log
	m *metrics
}

// Append implements deputy.Log.
func (l countedLog) Append(ctx context.Context, rows ...deputy.Entry) error {
	err := l.Log.Append(ctx, rows...)
	l.m.rows(rows, err)
	return err
}

// countedProposals are the proposals, with the rows of the log that go along with a decision counted.
type countedProposals struct {
	deputy.Proposals
	m *metrics
}

// Settle implements deputy.Proposals.
func (p countedProposals) Settle(ctx context.Context, as deputy.Person, ps, renewed []deputy.Proposal, rows ...deputy.Entry) error {
	err := p.Proposals.Settle(ctx, as, ps, renewed, rows...)
	p.m.rows(rows, err)
	return err
}

// Close implements deputy.Proposals.
func (p countedProposals) Close(ctx context.Context, as deputy.Person, ids []string, to deputy.State, outcome string, at time.Time, rows ...deputy.Entry) error {
	err := p.Proposals.Close(ctx, as, ids, to, outcome, at, rows...)
	p.m.rows(rows, err)
	return err
}

// counted is a store whose log is counted.
func (m *metrics) counted(s deputy.Store) deputy.Store {
	s.Log, s.Proposals = countedLog{s.Log, m}, countedProposals{s.Proposals, m}
	return s
}

// rows counts rows of the log that were written; one that was refused, because somebody else has decided, is no failure.
func (m *metrics) rows(rows []deputy.Entry, err error) {
	switch {
	case err == nil:
		for _, row := range rows {
			m.row(row)
		}
	case deputy.CodeOf(err) != deputy.AlreadyDecided:
		m.rowsLost.Inc()
	}
}

// row counts one row of the log. A tool without a kind is none that the person has: the name is the model's.
func (m *metrics) row(e deputy.Entry) {
	if e.Outcome == deputy.Proposed {
		m.proposals.WithLabelValues(string(deputy.Pending)).Inc()
	}
	switch {
	case e.Phase == deputy.AtDecision && e.Outcome == deputy.WasConfirmed:
		m.proposals.WithLabelValues(string(deputy.Done)).Inc()
	case e.Phase == deputy.AtDecision && e.Outcome != deputy.Proposed:
		m.proposals.WithLabelValues(string(e.Outcome)).Inc()
	case e.Phase != deputy.AtDecision:
		name := e.Tool
		if e.Kind == "" {
			name = "unknown"
		}
		m.toolCalls.WithLabelValues(name, string(e.Phase), string(e.Outcome)).Inc()
		m.toolTime.WithLabelValues(name).Observe(e.Duration.Seconds())
	}
}

// request counts an answered request; a stream has no duration that says anything.
func (m *metrics) request(route string, status int, took time.Duration, stream bool) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	if !stream {
		m.requestTime.WithLabelValues(route).Observe(took.Seconds())
	}
}
