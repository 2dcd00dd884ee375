// Package redact describes errors for a log: with what is known to quote neither data nor credentials, and without the rest.
package redact

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// whole is an error that is told as it stands.
type whole struct{ error }

// Whole marks an error whose text, causes included, quotes neither data nor credentials: it is logged as it stands.
func Whole(err error) error { return whole{err} }

// Unwrap gives the error that is marked.
func (w whole) Unwrap() error { return w.error }

// LogValue implements slog.LogValuer.
func (w whole) LogValue() slog.Value { return slog.StringValue(w.Error()) }

// Error is what a log may say of an error; empty for nil. Of an error that says itself what may be logged (slog.LogValuer) it is that; of
// the standard library's errors of networks, files and contexts, their text without values; of a database's, its code; of one that wraps
// others, what may be said of those; of any other, its type alone: its text may quote what stood in the data.
func Error(err error) string {
	if err == nil {
		return ""
	}
	if v, ok := err.(slog.LogValuer); ok {
		return v.LogValue().Resolve().String()
	}
	if text, ok := fixed(err); ok {
		return text
	}
	if text, ok := standard(err); ok {
		return text
	}
	if text, ok := coded(err); ok {
		return text
	}
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return joined(e.Unwrap())
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return Error(inner)
		}
	}
	return fmt.Sprintf("%T (its text is withheld: it may quote data)", err)
}

func joined(errs []error) string {
	var out []string
	for _, e := range errs {
		if text := Error(e); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ")
}

// fixed are errors whose text never changes, and those of the runtime and the system, which know no data.
func fixed(err error) (string, bool) {
	for _, known := range []error{
		context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, sql.ErrNoRows, sql.ErrConnDone, sql.ErrTxDone,
		driver.ErrBadConn, net.ErrClosed, http.ErrServerClosed, http.ErrHandlerTimeout, os.ErrDeadlineExceeded,
	} {
		if err == known {
			return err.Error(), true
		}
	}
	switch e := err.(type) {
	case syscall.Errno, runtime.Error, x509.UnknownAuthorityError, x509.CertificateInvalidError, x509.HostnameError, tls.AlertError, tls.RecordHeaderError:
		return err.Error(), true
	case net.Error:
		if _, wraps := err.(interface{ Unwrap() error }); !wraps && e.Timeout() {
			return "timeout", true
		}
	}
	return "", false
}

// standard are the standard library's errors that wrap another: what was done, and to which address or file.
func standard(err error) (string, bool) {
	switch e := err.(type) {
	case *net.OpError:
		text := e.Op + " " + e.Net
		if e.Addr != nil {
			text += " " + e.Addr.String()
		}
		return text + ": " + Error(e.Err), true
	case *net.DNSError:
		return "lookup " + e.Name + ": no answer", true
	case *url.Error:
		return e.Op + " " + address(e.URL) + ": " + Error(e.Err), true
	case *fs.PathError:
		return e.Op + " " + e.Path + ": " + Error(e.Err), true
	case *os.SyscallError:
		return e.Syscall + ": " + Error(e.Err), true
	}
	return "", false
}

// address is where a URL leads: neither user nor path nor query.
func address(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "(a URL that cannot be read)"
	}
	return u.Scheme + "://" + u.Host
}

// coded are the errors of databases: their drivers give a code, and a text that may quote a row.
func coded(err error) (string, bool) {
	switch e := err.(type) {
	case interface{ SQLState() string }:
		return "SQLSTATE " + e.SQLState(), true
	case interface{ Code() int }:
		return fmt.Sprintf("%T, code %d", err, e.Code()), true
	}
	return "", false
}
