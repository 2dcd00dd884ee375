// Package fake is what the servers that are measured have in common: one answer, known beforehand, and how a server begins to serve it.
package fake

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
)

// Hold is what a person says who wants the model to fall silent in the middle of its answer, until the reader is gone.
const Hold = "hold"

// Answer is what every model says, in pieces: Before, then a call of the tool, then After. The tool finds Rows.
type Answer struct {
	Before    []string        `json:"before"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Columns   []string        `json:"columns"`
	Rows      [][]string      `json:"rows"`
	After     []string        `json:"after"`
}

// Sized is an answer of so many pieces, a word each: a third of them before the call.
func Sized(pieces int) Answer {
	a := Answer{Tool: "query_records", Arguments: json.RawMessage(`{"table":"orders","where":"status == 'open'","limit":5}`), Columns: []string{"id", "customer", "status"}}
	for i := range pieces {
		if word := fmt.Sprintf("word%d ", i); i < pieces/3 {
			a.Before = append(a.Before, word)
		} else {
			a.After = append(a.After, word)
		}
	}
	for i := range 5 {
		a.Rows = append(a.Rows, []string{fmt.Sprint(i + 1), "Acme Ltd", "open"})
	}
	return a
}

// Main is a server's main function: it reads the answer that -answer names, serves what open makes of it on a port of its own, and says where.
func Main(open func(context.Context, Answer) (http.Handler, error)) {
	path := flag.String("answer", "", "file with the answer")
	profile := flag.String("cpuprofile", "", "file for a CPU profile, written at GET /stop")
	flag.Parse()
	if err := serve(*path, *profile, open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(path, profile string, open func(context.Context, Answer) (http.Handler, error)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var a Answer
	if err := json.Unmarshal(text, &a); err != nil {
		return err
	}
	h, err := open(context.Background(), a)
	if err != nil {
		return err
	}
	if profile != "" {
		if h, err = profiled(profile, h); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, h)
}

// profiled writes a profile of what next does until somebody asks for /stop.
func profiled(path string, next http.Handler) (http.Handler, error) {
	var out bytes.Buffer
	if err := pprof.StartCPUProfile(&out); err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/stop" {
			next.ServeHTTP(w, r)
			return
		}
		pprof.StopCPUProfile()
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}), nil
}
