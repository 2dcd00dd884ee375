package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"example.com/deputy/internal/sse"
)

// deaf sends a request and never reads its answer, behind a small window.
func (s *server) deaf(path string) net.Conn {
	s.t.Helper()
	address := strings.TrimPrefix(s.url, "http://")
	c, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", address)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer ann\r\n\r\n", path, address); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// streaming is how many goroutines are in a stream.
func streaming() int {
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 2); err != nil {
		return -1
	}
	return strings.Count(b.String(), "api.copyEvents(")
}

// TestDeafReaders: those who do not read neither hold up a turn nor those who do, and are hung up on.
func TestDeafReaders(t *testing.T) {
	s := serve(t) // alone: it counts goroutines
	c := s.conversation("ann")
	r := s.send(t.Context(), "ann", "POST", "/v1/conversations/"+c+"/turns", `{"text":"long"}`, "Accept", "text/event-stream")
	defer r.Body.Close()
	<-s.step // the model waits
	turn := s.turns("ann", c)[0]
	var deaf []net.Conn
	for range 20 {
		conn := s.deaf("/v1/turns/" + turn + "/events")
		defer conn.Close()
		answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
		if err != nil || answer.StatusCode != 200 {
			t.Fatal(err, answer)
		}
		deaf = append(deaf, conn) // it follows now, and reads no more
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	s.release()
	var text strings.Builder
	var last sse.Event
	for e, err := range sse.Read(r.Body) {
		if err != nil {
			t.Fatal(err)
		}
		if last = e; e.Name == "text.delta" {
			d := s.want(reply{200, nil, string(e.Data)}, 200)
			if at := d.at("at"); fmt.Sprint(at) != fmt.Sprint(text.Len()) {
				t.Fatalf("at %v, and we have %d", at, text.Len())
			}
			text.WriteString(d.text("text"))
		}
	}
	if last.Name != "turn.finished" || text.String() != long() {
		t.Errorf("%d of %d bytes, last %s", text.Len(), len(long()), last.Name)
	}
	if streaming() == 0 {
		t.Error("there was nobody deaf while the turn ran")
	}
	var after runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("a turn of %d bytes and %d deaf readers: %d KiB more", text.Len(), len(deaf), grown>>10)
	if most := int64(12*len(long()) + len(deaf)*(256<<10)); grown > most { // what is kept of the turn itself, and a page of events for each
		t.Errorf("%d bytes more, at most %d", grown, most)
	}
	for streaming() > 0 {
		if t.Context().Err() != nil {
			t.Fatal("they are never hung up on")
		}
		runtime.Gosched()
	}
}
