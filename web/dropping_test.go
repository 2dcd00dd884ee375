package web_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// dropping stands before a server; while it drops, every line is cut and none is taken.
type dropping struct {
	*httptest.Server
	mu      sync.Mutex
	lines   map[net.Conn]bool
	dropped bool
}

func newDropping(t *testing.T, to string) *dropping {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	d := &dropping{lines: map[net.Conn]bool{}}
	d.Server = httptest.NewUnstartedServer(proxy)
	d.Config.ErrorLog = proxy.ErrorLog
	d.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.dropped {
			_ = c.Close()
		} else {
			d.lines[c] = true
		}
		return ctx
	}
	d.Start()
	t.Cleanup(d.Close)
	return d
}

func (d *dropping) drop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropped = true
	for c := range d.lines {
		_ = c.Close()
	}
	clear(d.lines)
}

func (d *dropping) restore() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropped = false
}
