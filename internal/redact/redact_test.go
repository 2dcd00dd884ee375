package redact_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/deputy/internal/redact"
)

// secret is what no log may have.
const secret = "S3CRET"

type row struct{}

func (row) Error() string    { return `duplicate key: Key (email)=(` + secret + `) already exists` }
func (row) SQLState() string { return "23505" }

type numbered struct{}

func (numbered) Error() string { return "abort: " + secret }
func (numbered) Code() int     { return 1811 }

type told struct{}

func (told) Error() string        { return secret }
func (told) LogValue() slog.Value { return slog.StringValue("the gist") }

type hollow struct{}

func (hollow) Error() string { return secret }
func (hollow) Unwrap() error { return nil }

func TestError(t *testing.T) {
	t.Parallel()
	op := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 5432}, Err: syscall.ECONNREFUSED}
	_, number := strconv.Atoi(secret)
	withheld := " (its text is withheld: it may quote data)"
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errors.New(secret), "*errors.errorString" + withheld},
		{fmt.Errorf("row %s: %w", secret, io.EOF), "EOF"},
		{number, "*errors.errorString" + withheld},
		{row{}, "SQLSTATE 23505"},
		{fmt.Errorf("writing %s: %w", secret, row{}), "SQLSTATE 23505"},
		{numbered{}, "redact_test.numbered, code 1811"},
		{told{}, "the gist"},
		{fmt.Errorf("%s: %w", secret, told{}), "the gist"},
		{hollow{}, "redact_test.hollow" + withheld},
		{errors.Join(sql.ErrTxDone, context.Canceled), "sql: transaction has already been committed or rolled back; context canceled"},
		{op, "dial tcp 127.0.0.1:5432: connection refused"},
		{&url.Error{Op: "Post", URL: "https://u:" + secret + "@models.example.com/v1?key=" + secret, Err: op}, "Post https://models.example.com: dial tcp 127.0.0.1:5432: connection refused"},
		{&url.Error{Op: "Post", URL: "://" + secret, Err: io.EOF}, "Post (a URL that cannot be read): EOF"},
		{&net.DNSError{Err: secret, Name: "db.example.com"}, "lookup db.example.com: no answer"},
		{&fs.PathError{Op: "open", Path: "deputy.db", Err: syscall.ENOENT}, "open deputy.db: no such file or directory"},
		{redact.Whole(fmt.Errorf("status %d", 400)), "status 400"},
		{fmt.Errorf("%s: %w", secret, redact.Whole(errors.New("status 400"))), "status 400"},
	} {
		if got := redact.Error(c.err); got != c.want || strings.Contains(got, secret) {
			t.Errorf("%T: %q; want %q", c.err, got, c.want)
		}
	}
	if err := redact.Whole(io.EOF); !errors.Is(err, io.EOF) || err.Error() != "EOF" {
		t.Errorf("a marked error is another: %v", err)
	}
}
