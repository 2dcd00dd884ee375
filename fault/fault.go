// Package fault is what can go wrong: a code for the caller, a sentence for the person, a cause for the operator. The root names it as its own.
package fault

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"example.com/deputy/internal/redact"
)

// Code is the part of an error that a caller acts on; transports map it to their statuses.
type Code string

// The codes.
const (
	Invalid          Code = "invalid"
	Unauthenticated  Code = "unauthenticated"
	PermissionDenied Code = "permission_denied"
	NotFound         Code = "not_found"
	Conflict         Code = "conflict"
	Stale            Code = "stale"
	AlreadyDecided   Code = "already_decided"
	ExpiredCode      Code = "expired"
	TooLarge         Code = "too_large"
	Unprocessable    Code = "unprocessable"
	RateLimited      Code = "rate_limited"
	BudgetExhausted  Code = "budget_exhausted"
	Internal         Code = "internal"
	Unavailable      Code = "unavailable"
	Killed           Code = "killed"
	Timeout          Code = "timeout"
)

// Error is a code for the caller, a sentence for the person, and a cause for the operator's log. Only its Message ever reaches a person.
type Error struct {
	Code    Code
	Message string
	Cause   error // never shown; nil where there is none
	Quotes  bool  // Message quotes what stands in the data: a model is given it fenced
}

// Error implements error; it is the operator's form.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return string(e.Code) + ": " + e.Message
}

// LogValue implements slog.LogValuer: the error without what it may quote of the data.
func (e *Error) LogValue() slog.Value {
	text := string(e.Code)
	if !e.Quotes {
		text += ": " + e.Message
	}
	if e.Cause != nil {
		text += ": " + redact.Error(e.Cause)
	}
	return slog.StringValue(text)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an error whose text a person may read.
func Errorf(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Message: fmt.Sprintf(format, args...)}
}

// CodeOf is the code of an error: internal where it is not one of ours, timeout where its context ended.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Timeout
	}
	return Internal
}

// MessageOf is what a person may read of an error: the sentence of an Error, else one fixed sentence.
func MessageOf(err error) string {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Message
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "It took too long and was stopped."
	}
	return "Something went wrong. The operator's log says what."
}
