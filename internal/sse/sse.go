// Package sse writes and reads server-sent events (text/event-stream), one flush an event.
package sse

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
)

// Event is one event of a stream. ID 0 and an empty Name are not sent.
type Event struct {
	ID   int64
	Name string
	Data []byte
}

// Writer sends events. It is not safe for concurrent use. How long a reader may keep it waiting is up to the response that it writes to.
type Writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// NewWriter sends the headers of a stream at once, so that a reader knows it is connected before the first event.
func NewWriter(w http.ResponseWriter) (*Writer, error) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies that would hold events back
	w.WriteHeader(http.StatusOK)
	s := &Writer{w, http.NewResponseController(w)}
	return s, s.control.Flush()
}

// Send writes one event and flushes it. Line breaks in the data become several data lines; those in the name are dropped.
func (s *Writer) Send(e Event) error {
	b := make([]byte, 0, len(e.Data)+len(e.Name)+48)
	if e.ID != 0 {
		b = append(strconv.AppendInt(append(b, "id: "...), e.ID, 10), '\n')
	}
	if e.Name != "" {
		b = append(append(append(b, "event: "...), oneLine(e.Name)...), '\n')
	}
	if !bytes.ContainsAny(e.Data, "\r\n") { // as JSON is
		return s.flush(append(append(append(b, "data: "...), e.Data...), "\n\n"...))
	}
	for line := range strings.SplitSeq(lineBreaks(string(e.Data)), "\n") {
		b = append(append(append(b, "data: "...), line...), '\n')
	}
	return s.flush(append(b, '\n'))
}

// Comment writes a line that readers ignore and connections live on.
func (s *Writer) Comment(text string) error {
	return s.flush([]byte(": " + oneLine(text) + "\n\n"))
}

func (s *Writer) flush(b []byte) error {
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.control.Flush()
}

func lineBreaks(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func oneLine(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r", ""), "\n", "")
}

// MaxLine is the longest line that Read accepts, in bytes.
const MaxLine = 4 << 20

// Read gives the events of a stream as they come. It ends with the stream; an event that the end cut off is dropped. A line that is too
// long or a broken connection is the last element, an error.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 4096), MaxLine)
		lines.Split(splitLines())
		var p pending
		for lines.Scan() {
			if e, ok := p.line(lines.Text()); ok && !yield(e, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Event{}, fmt.Errorf("sse: %w", err))
		}
	}
}

// pending is an event that is being read.
type pending struct {
	Event
	data bool
}

// line takes one line in; it gives the event that an empty line ends. An id stays for the events that follow.
func (p *pending) line(s string) (Event, bool) {
	if s == "" {
		e, ok := p.Event, p.data
		*p = pending{Event: Event{ID: p.ID}}
		return e, ok
	}
	field, value, _ := strings.Cut(s, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "id":
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			p.ID = n
		}
	case "event":
		p.Name = value
	case "data":
		if p.data {
			p.Data = append(p.Data, '\n')
		}
		p.Data, p.data = append(p.Data, value...), true
	}
	return Event{}, false
}

// splitLines ends lines at LF, CR LF and CR, as the format wants, without waiting for what comes after a CR.
func splitLines() bufio.SplitFunc {
	afterCR := false
	return func(data []byte, atEOF bool) (int, []byte, error) {
		skip := 0
		if afterCR && len(data) > 0 {
			afterCR = false
			if data[0] == '\n' {
				skip = 1
			}
		}
		if i := bytes.IndexAny(data[skip:], "\r\n"); i >= 0 {
			afterCR = data[skip+i] == '\r'
			return skip + i + 1, data[skip : skip+i], nil
		}
		if atEOF && len(data) > skip {
			return len(data), data[skip:], nil
		}
		return skip, nil, nil
	}
}
