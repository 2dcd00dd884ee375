package sse_test

import (
	"bytes"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/deputy/internal/sse"
)

func read(t testing.TB, text string) []sse.Event {
	t.Helper()
	var out []sse.Event
	for e, err := range sse.Read(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func TestWriteThenRead(t *testing.T) {
	t.Parallel()
	in := []sse.Event{
		{ID: 1, Name: "turn.started", Data: []byte(`{"turn":"trn_1"}`)},
		{ID: 7, Name: "text.delta", Data: []byte("two\nlines: and a colon")},
		{ID: 8, Data: []byte{}},
	}
	rec := httptest.NewRecorder()
	w, err := sse.NewWriter(rec)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range in {
		if err := w.Comment("still\nhere"); err != nil {
			t.Fatal(err)
		}
		if err := w.Send(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := rec.Header().Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type %q", got)
	}
	got := read(t, rec.Body.String())
	if !slices.EqualFunc(got, in, same) {
		t.Errorf("got %v\nwant %v", got, in)
	}
	if !strings.HasPrefix(rec.Body.String(), ": stillhere\n\nid: 1\nevent: turn.started\ndata: {\"turn\":\"trn_1\"}\n\n") {
		t.Errorf("form:\n%s", rec.Body)
	}
}

func same(a, b sse.Event) bool {
	return a.ID == b.ID && a.Name == b.Name && bytes.Equal(a.Data, b.Data)
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want []sse.Event
	}{
		"no data is no event":     {"event: x\n\n", nil},
		"cut off":                 {"data: a\n\ndata: b\n", []sse.Event{{Data: []byte("a")}}},
		"carriage returns":        {"id: 3\rdata: a\r\rdata:b\r\n\r\n", []sse.Event{{ID: 3, Data: []byte("a")}, {ID: 3, Data: []byte("b")}}},
		"comment and odd fields":  {": hi\nretry: 5\nfoo\ndata\n\n", []sse.Event{{Data: []byte{}}}},
		"a bad id is not taken":   {"id: x\ndata: a\n\n", []sse.Event{{Data: []byte("a")}}},
		"names do not stay":       {"event: n\ndata: a\n\ndata: b\n\n", []sse.Event{{Name: "n", Data: []byte("a")}, {Data: []byte("b")}}},
		"only one space is eaten": {"data:  a\n\n", []sse.Event{{Data: []byte(" a")}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, c.in); !slices.EqualFunc(got, c.want, same) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestReadTooLong(t *testing.T) {
	t.Parallel()
	var last error
	for _, err := range sse.Read(strings.NewReader("data: " + strings.Repeat("x", sse.MaxLine+1))) {
		last = err
	}
	if last == nil {
		t.Error("a line beyond the limit was accepted")
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "id: 1\nevent: a\ndata: b\n\n", "\r\r\n\n", "data: a\r\ndata: b\r\n\r\n", ":\n\n", "data:\x00\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		events := read(t, text)
		rec := httptest.NewRecorder()
		w, err := sse.NewWriter(rec)
		if err != nil {
			t.Fatal(err)
		}
		last := int64(0)
		for i := range events {
			if events[i].ID == 0 {
				events[i].ID = last // 0 is not sent: the id before it stays
			}
			last = events[i].ID
			if err := w.Send(events[i]); err != nil {
				t.Fatal(err)
			}
		}
		if got := read(t, rec.Body.String()); !slices.EqualFunc(got, events, same) {
			t.Errorf("read %v, written again %v", events, got)
		}
	})
}
