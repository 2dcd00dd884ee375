package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/deputy/transport/api"
)

// metricsAddress is where the metrics are told: to this machine alone where the configuration names no host.
func (d *document) metricsAddress() string {
	if host, port, err := net.SplitHostPort(d.Metrics); err == nil && host == "" {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return d.Metrics
}

// handler answers GET /metrics, and nothing else.
func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second}))
	return mux
}

// serveAll serves on a listener, and the metrics on one of their own where the configuration names it, until ctx ends or one of them fails.
func (p *parts) serveAll(ctx context.Context, l net.Listener, people []api.DemoPerson) error {
	if p.Metrics == "" {
		return serve(ctx, l, p.handler(ctx, people), p.log, p.assistant.Stop)
	}
	own, err := listen(ctx, p.metricsAddress(), "the key metrics")
	if err != nil {
		return errors.Join(err, l.Close())
	}
	p.log.Info("telling metrics", "url", "http://"+own.Addr().String()+"/metrics")
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		defer stop()
		ended <- serve(ctx, own, p.metrics.handler(), p.log, func() {})
	}()
	err = serve(ctx, l, p.handler(ctx, people), p.log, p.assistant.Stop)
	stop()
	return errors.Join(err, <-ended)
}
