package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
	_ "time/tzdata" // a machine may have no zones of its own

	"example.com/deputy"
	"example.com/deputy/query"
	"example.com/deputy/transport/api"
	"example.com/deputy/web"
)

// grace is how long the answers to requests may take once the work that they wait for has ended.
const grace = 5 * time.Second

// handler is everything that is served, with event streams until ctx ends. people are those of the demo; nil elsewhere.
func (p *parts) handler(ctx context.Context, people []api.DemoPerson) http.Handler {
	page := web.Handler(web.Options{Name: p.Assistant.Name, Demo: len(people) > 0})
	return p.accessLogged(p.switchLogged(api.New(p.assistant.Door(deputy.Chat), p.logged(p.tokens.authenticate), api.Options{
		PublicURL: p.PublicURL, Page: page, Demo: people, Version: version().Version, Ready: p.ready, Closing: ctx.Done(), Log: p.log,
	})))
}

// ready says whether the database and the store answer.
func (p *parts) ready(ctx context.Context) error {
	if err := p.reachable(ctx); err != nil {
		return fmt.Errorf("database %s: %w", shown(p.Host.Database), err)
	}
	if _, err := deputy.ReadKillSwitch(ctx, p.store.Settings); err != nil {
		return fmt.Errorf("store %s: %w", p.storeName(), err)
	}
	return nil
}

// reachable reads one row of the first table that is offered to anybody.
func (p *parts) reachable(ctx context.Context) error {
	cat, err := p.host.Catalog(ctx, deputy.Person{})
	if err != nil {
		return err
	}
	page, err := cat.Tables(ctx, "", "")
	if err != nil || len(page) == 0 {
		return err
	}
	t, err := cat.Table(ctx, page[0].Name)
	if err != nil {
		return err
	}
	first := query.Column{As: t.Fields[0].Name, Expr: query.Ref{Table: t.Name, Field: t.Fields[0]}}
	_, err = p.host.Query(ctx, deputy.Person{}, query.Query{Table: t.Name, Select: []query.Column{first}, Limit: 1})
	return err
}

// serve answers on a listener until ctx ends, then lets requests under way end; stop ends the work that they wait for.
func serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, stop func()) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(l) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	wait, cancel := context.WithCancel(base)
	defer cancel()
	go func() {
		stop()
		time.AfterFunc(grace, cancel)
	}()
	if err := server.Shutdown(wait); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return server.Close()
}

// listen opens an address; its error says how to mend it: where to choose another.
func listen(ctx context.Context, address, where string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address with %s", address, err, where)
	}
	return l, nil
}

// loopback says whether an address can be reached from this machine only.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
