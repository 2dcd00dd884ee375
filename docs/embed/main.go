package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"example.com/deputy/store/sqlite"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to listen on")
	database := flag.String("database", "shop.db", "the shop's own data")
	kept := flag.String("store", "assistant.db", "what the assistant keeps: conversations, proposals, log")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *listen, *database, *kept); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, listen, database, kept string) (err error) {
	s, err := openShop(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.db.Close()) }()

	host, err := openHost(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	store, err := sqlite.Open(ctx, kept)
	if err != nil {
		return err
	}
	m, err := model()
	if err != nil {
		return errors.Join(err, store.Close())
	}
	assistant, err := newAssistant(ctx, s, host, store, m)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer func() { err = errors.Join(err, assistant.Close()) }() // before the host: turns end at their next step; then the store

	mux := s.routes()
	s.mount(mux, assistant, ctx.Done())
	return serve(ctx, listen, mux)
}

func serve(ctx context.Context, listen string, h http.Handler) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(l) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return server.Shutdown(wait)
}
