package deputy

import (
	"example.com/deputy/fault"
)

// What can go wrong is in package fault.
type (
	Error = fault.Error
	Code  = fault.Code
)

// The codes.
const (
	Invalid          = fault.Invalid
	Unauthenticated  = fault.Unauthenticated
	PermissionDenied = fault.PermissionDenied
	NotFound         = fault.NotFound
	Conflict         = fault.Conflict
	Stale            = fault.Stale
	AlreadyDecided   = fault.AlreadyDecided
	ExpiredCode      = fault.ExpiredCode
	TooLarge         = fault.TooLarge
	Unprocessable    = fault.Unprocessable
	RateLimited      = fault.RateLimited
	BudgetExhausted  = fault.BudgetExhausted
	Internal         = fault.Internal
	Unavailable      = fault.Unavailable
	Killed           = fault.Killed
	Timeout          = fault.Timeout
)

// Errorf makes an error whose text a person may read.
func Errorf(c Code, format string, args ...any) *Error { return fault.Errorf(c, format, args...) }

// CodeOf is the code of an error: internal where it is not one of ours, timeout where its context ended.
func CodeOf(err error) Code { return fault.CodeOf(err) }

// MessageOf is what a person may read of an error: the sentence of an Error, else one fixed sentence.
func MessageOf(err error) string { return fault.MessageOf(err) }
