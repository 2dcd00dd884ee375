package api

import (
	"net/http"
	"time"
)

// patience is how long a reader may take for a piece of an answer, and piece how many bytes that is at most: who is slow gets everything,
// who has stopped reading holds no connection and no goroutine for ever.
const (
	patience = 30 * time.Second
	piece    = 64 << 10
)

// impatient ends answers whose readers have stopped reading.
func impatient(after time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&impatientWriter{w, http.NewResponseController(w), after}, r)
	})
}

type impatientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	after   time.Duration
}

// Write implements http.ResponseWriter. A deadline that the server cannot set is none.
func (w *impatientWriter) Write(b []byte) (written int, err error) {
	for first := true; err == nil && (first || written < len(b)); first = false {
		_ = w.control.SetWriteDeadline(time.Now().Add(w.after))
		var n int
		n, err = w.ResponseWriter.Write(b[written:min(len(b), written+piece)])
		written += n
	}
	return written, err
}

// Unwrap leads to the writer beneath, for what else it can.
func (w *impatientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
