package decimal

import (
	"math/big"
	"testing"
)

func dec(t *testing.T, text string) D {
	t.Helper()
	d, ok := Parse(text)
	if !ok {
		t.Fatalf("Parse(%q) failed", text)
	}
	return d
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "-1", "100.10", "0.000", "-0.5", "99999999999999999999999999999999999999.5"} {
		if got := dec(t, text).String(); got != text {
			t.Errorf("Parse(%q) = %q", text, got)
		}
	}
	for _, text := range []string{"", "-", ".", "1.", ".5", "+1", " 1", "1e3", "0x1", "1_0", "--1", "1.2.3", "١"} {
		if d, ok := Parse(text); ok {
			t.Errorf("Parse(%q) = %s, want a refusal", text, d)
		}
	}
}

func TestArithmetic(t *testing.T) {
	t.Parallel()
	quo := func(a, b D) D { q, _ := Quo(a, b, 16); return q.Trim() }
	rem := func(a, b D) D { r, _ := Rem(a, b); return r }
	tests := []struct {
		name string
		f    func(a, b D) D
		a, b string
		want string
	}{
		{"+", Add, "0.1", "0.20", "0.30"},
		{"-", Sub, "0.10", "0.3", "-0.20"},
		{"*", Mul, "1.10", "2.0", "2.200"},
		{"/", quo, "1", "3", "0.3333333333333333"},
		{"/", quo, "2", "-3", "-0.6666666666666667"},
		{"/", quo, "10", "4", "2.5"},
		{"/", quo, "1", "20000000000000000", "0.0000000000000001"},
		{"/", quo, "-1", "20000000000000000", "-0.0000000000000001"},
		{"/", quo, "1", "20000000000000001", "0"},
		{"%", rem, "7", "-3", "1"},
		{"%", rem, "-7", "3", "-1"},
		{"%", rem, "7.5", "2", "1.5"},
	}
	for _, tt := range tests {
		if got := tt.f(dec(t, tt.a), dec(t, tt.b)).String(); got != tt.want {
			t.Errorf("%s %s %s = %s, want %s", tt.a, tt.name, tt.b, got, tt.want)
		}
	}
	if _, ok := Quo(dec(t, "1"), dec(t, "0.00"), 16); ok {
		t.Error("division by zero is ok")
	}
	if _, ok := Rem(dec(t, "1"), D{}); ok {
		t.Error("remainder by zero is ok")
	}
}

func TestRoundTrimLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in     string
		places int
		want   string
	}{{"2.5", 0, "3"}, {"-2.5", 0, "-3"}, {"2.45", 1, "2.5"}, {"2.449", 1, "2.4"}, {"2", 3, "2"}, {"0.05", 1, "0.1"}} {
		if got := dec(t, tt.in).Round(tt.places).String(); got != tt.want {
			t.Errorf("Round(%s, %d) = %s, want %s", tt.in, tt.places, got, tt.want)
		}
	}
	if got := dec(t, "100.100").Trim().String(); got != "100.1" {
		t.Errorf("Trim = %s", got)
	}
	if got := dec(t, "0.000").Trim().String(); got != "0" {
		t.Errorf("Trim = %s", got)
	}
	nines := "99999999999999999999999999999999999999"
	if _, ok := dec(t, nines+".99999999999999999999").Limit(); !ok {
		t.Error("the largest decimal is refused")
	}
	if _, ok := dec(t, nines+".999999999999999999995").Limit(); ok {
		t.Error("10^38 is accepted after rounding")
	}
	if _, ok := dec(t, "-1"+nines).Limit(); ok {
		t.Error("a number beyond 10^38 is accepted")
	}
}

func TestInt64AndExpand(t *testing.T) {
	t.Parallel()
	if n, ok := dec(t, "9223372036854775807.00").Int64(); !ok || n != 9223372036854775807 {
		t.Errorf("Int64 = %d, %v", n, ok)
	}
	for _, text := range []string{"1.5", "9223372036854775808"} {
		if _, ok := dec(t, text).Int64(); ok {
			t.Errorf("%s is taken for a 64-bit integer", text)
		}
	}
	for in, want := range map[string]string{"1e3": "1000", "1.5E-2": "0.015", ".5": "0.5", "1.50": "1.50", "12.5e1": "125"} {
		if got, ok := Expand(in); !ok || got != want {
			t.Errorf("Expand(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"1e99999", "e5", "", "1e", "x"} {
		if got, ok := Expand(in); ok {
			t.Errorf("Expand(%q) = %q, want a refusal", in, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "-1.50", "1e3", "", "."} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		a, okA := Parse(x)
		b, okB := Parse(y)
		if !okA || !okB {
			return
		}
		if again, ok := Parse(a.String()); !ok || Cmp(a, again) != 0 {
			t.Fatalf("%q does not read back", a)
		}
		want, _ := new(big.Rat).SetString(x)
		other, _ := new(big.Rat).SetString(y)
		if Cmp(a, b) != want.Cmp(other) {
			t.Fatalf("Cmp(%s, %s) is wrong", x, y)
		}
		got, _ := new(big.Rat).SetString(Mul(Add(a, b), Sub(a, b)).String())
		if got.Cmp(new(big.Rat).Mul(new(big.Rat).Add(want, other), new(big.Rat).Sub(want, other))) != 0 {
			t.Fatalf("(a+b)*(a-b) of %s and %s is %s", x, y, got)
		}
		if Cmp(a.Trim(), a) != 0 {
			t.Fatalf("Trim(%s) changes the value", x)
		}
	})
}
