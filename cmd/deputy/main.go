// Command deputy puts an AI assistant into an existing business application: see deputy --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"example.com/deputy/internal/app"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := app.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
