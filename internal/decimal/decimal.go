// Package decimal computes with exact decimals of any size: no value ever passes through a float.
package decimal

import (
	"math/big"
	"strconv"
	"strings"
)

// MaxText is the longest text that Parse reads, in bytes.
const MaxText = 200

// D is an exact decimal: coef / 10^scale. It is immutable; the zero D is 0.
type D struct {
	coef  *big.Int
	scale int
}

// Parse reads plain notation: an optional minus, digits, optionally a point and digits. No exponent, no plus, no spaces.
func Parse(text string) (D, bool) {
	digits := strings.TrimPrefix(text, "-")
	whole, frac, point := strings.Cut(digits, ".")
	if len(text) > MaxText || !allDigits(whole) || point && !allDigits(frac) {
		return D{}, false
	}
	coef, ok := new(big.Int).SetString(whole+frac, 10)
	if !ok {
		return D{}, false
	}
	if len(digits) < len(text) {
		coef.Neg(coef)
	}
	return D{coef, len(frac)}, true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// FromInt is a whole number.
func FromInt(n int64) D { return D{coef: big.NewInt(n)} }

func (d D) int() *big.Int {
	if d.coef == nil {
		return new(big.Int)
	}
	return d.coef
}

// String is plain notation, with as many digits after the point as the scale says.
func (d D) String() string {
	if d.scale == 0 {
		return d.int().String()
	}
	digits := new(big.Int).Abs(d.int()).String()
	if len(digits) <= d.scale {
		digits = strings.Repeat("0", d.scale-len(digits)+1) + digits
	}
	cut := len(digits) - d.scale
	text := digits[:cut] + "." + digits[cut:]
	if d.Sign() < 0 {
		return "-" + text
	}
	return text
}

// Sign is -1, 0 or 1.
func (d D) Sign() int { return d.int().Sign() }

// Scale is the number of digits after the point.
func (d D) Scale() int { return d.scale }

// Int64 is the value where it is a whole number of 64 bits.
func (d D) Int64() (int64, bool) {
	t := d.Trim()
	if t.scale > 0 || !t.int().IsInt64() {
		return 0, false
	}
	return t.int().Int64(), true
}

// align gives both coefficients at the larger scale.
func align(a, b D) (x, y *big.Int, scale int) {
	scale = max(a.scale, b.scale)
	return a.at(scale), b.at(scale), scale
}

func (d D) at(scale int) *big.Int {
	if scale == d.scale {
		return d.int()
	}
	return new(big.Int).Mul(d.int(), pow10(scale-d.scale))
}

func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// Cmp compares by value.
func Cmp(a, b D) int {
	x, y, _ := align(a, b)
	return x.Cmp(y)
}

// Add keeps the larger scale.
func Add(a, b D) D {
	x, y, scale := align(a, b)
	return D{new(big.Int).Add(x, y), scale}
}

// Sub keeps the larger scale.
func Sub(a, b D) D {
	x, y, scale := align(a, b)
	return D{new(big.Int).Sub(x, y), scale}
}

// Mul adds the scales.
func Mul(a, b D) D { return D{new(big.Int).Mul(a.int(), b.int()), a.scale + b.scale} }

// Quo divides, rounded half away from zero to places digits after the point. b must not be zero: ok is false.
func Quo(a, b D, places int) (q D, ok bool) {
	if b.Sign() == 0 {
		return D{}, false
	}
	x, y, _ := align(a, b)
	return D{divide(new(big.Int).Mul(x, pow10(places)), y), places}, true
}

// divide rounds half away from zero.
func divide(x, y *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(x, y, new(big.Int))
	if r.Lsh(r, 1).CmpAbs(y) >= 0 {
		return q.Add(q, big.NewInt(int64(x.Sign()*y.Sign())))
	}
	return q
}

// Rem is the remainder of the division truncated toward zero: it has the sign of a. b must not be zero: ok is false.
func Rem(a, b D) (r D, ok bool) {
	if b.Sign() == 0 {
		return D{}, false
	}
	x, y, scale := align(a, b)
	return D{new(big.Int).Rem(x, y), scale}, true
}

// Neg turns the sign.
func (d D) Neg() D { return D{new(big.Int).Neg(d.int()), d.scale} }

// Abs takes the sign away.
func (d D) Abs() D { return D{new(big.Int).Abs(d.int()), d.scale} }

// Round keeps at most places digits after the point, rounded half away from zero.
func (d D) Round(places int) D {
	if d.scale <= places {
		return d
	}
	return D{divide(d.int(), pow10(d.scale-places)), places}
}

// Trim takes trailing zeros after the point away.
func (d D) Trim() D {
	if d.scale == 0 {
		return d
	}
	coef, scale, ten, rest := new(big.Int).Set(d.int()), d.scale, big.NewInt(10), new(big.Int)
	for ; scale > 0; scale-- {
		q, r := new(big.Int).QuoRem(coef, ten, rest)
		if r.Sign() != 0 {
			break
		}
		coef = q
	}
	return D{coef, scale}
}

// Limit bounds a result: at most 20 digits after the point (rounded half away from zero) and less than 10^38; else ok is false.
func (d D) Limit() (out D, ok bool) {
	out = d.Round(20)
	return out, out.int().CmpAbs(pow10(38+out.scale)) < 0
}

// Expand turns a number with an exponent ("1.5e3") into plain notation.
func Expand(text string) (string, bool) {
	mantissa, exponent, has := strings.Cut(strings.ToLower(text), "e")
	if strings.HasPrefix(mantissa, ".") {
		mantissa = "0" + mantissa
	}
	d, ok := Parse(strings.TrimSuffix(mantissa, "."))
	if !ok || !has {
		return d.String(), ok
	}
	n, err := strconv.Atoi(exponent)
	switch {
	case err != nil || n < -60 || n > 60:
		return "", false
	case n >= 0:
		d = D{new(big.Int).Mul(d.int(), pow10(n)), d.scale}
		return d.Trim().String(), true
	}
	return D{d.coef, d.scale - n}.String(), true
}
