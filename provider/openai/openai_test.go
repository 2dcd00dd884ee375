package openai

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"example.com/deputy"
)

func readAll(t *testing.T, r *http.Request) []byte {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return b
}

func causeOf(err error) error {
	var e *deputy.Error
	if errors.As(err, &e) {
		return e.Cause
	}
	return errors.New("not a *deputy.Error")
}
