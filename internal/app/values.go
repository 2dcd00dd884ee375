package app

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/deputy"
)

// notYet is the value of a key whose feature is not built.
type notYet struct{}

// Duration is a length of time such as 30s, 5m or 24h.
type Duration time.Duration

func (d Duration) std() time.Duration { return time.Duration(d) }

// Bytes is a size such as 32KiB, 1MiB or a plain number of bytes.
type Bytes int

// Decimal is an exact decimal, as text.
type Decimal string

// FieldList is true, false, or a list of fields.
type FieldList deputy.Fields

func (d *Duration) parse(text string) error {
	v, err := time.ParseDuration(text)
	if err != nil || v <= 0 {
		return errors.New("write a length of time such as 30s, 5m or 24h")
	}
	*d = Duration(v)
	return nil
}

func (b *Bytes) parse(text string) error {
	const want = "write a size such as 32KiB, 1MiB or a number of bytes"
	number, factor := text, 1.0
	for _, u := range []struct {
		name   string
		factor float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"KB", 1e3}, {"MB", 1e6}} {
		if n, ok := strings.CutSuffix(text, u.name); ok {
			number, factor = n, u.factor
			break
		}
	}
	n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 31)
	if size := float64(n) * factor; err == nil && size >= 1 && size <= math.MaxInt32 {
		*b = Bytes(size)
		return nil
	}
	return errors.New(want)
}

// decimalText is what a Decimal may look like.
var decimalText = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,15})?$`)

func (d *Decimal) parse(text string) error {
	if !decimalText.MatchString(text) {
		return errors.New("write a decimal such as 2.50")
	}
	*d = Decimal(text)
	return nil
}

func parseBool(text string) (bool, error) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, errors.New("write true or false")
}

func parseCount(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, errors.New("write a whole number above 0")
	}
	return n, nil
}

// oneOf says why a text is none of the values a key may have; later are those whose feature is not built.
func oneOf(text, enum, later string) error {
	all := strings.Split(enum, ",")
	for _, v := range all {
		if v == text {
			return nil
		}
	}
	for v := range strings.SplitSeq(later, ",") {
		if v == text && v != "" {
			return fmt.Errorf("%s is not supported yet: use %s", v, strings.Join(all, ", "))
		}
	}
	return fmt.Errorf("no such value: %s; write %s", text, strings.Join(all, ", "))
}
