package guard

import (
	"strings"
	"testing"
)

func TestLeap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, says string }{
		{"50.00", "500.00", ""}, {"50.00", "500.01", "more than ten times"}, {"50", "5", ""}, {"50", "4.999999999999999999", "less than a tenth of"},
		{"-5", "-51", "more than ten times"}, {"-5", "5", "the sign changes"}, {"0.1", "-0.1", "the sign changes"},
		{"0", "10", ""}, {"0", "11", "more than ten times"}, {"0.00", "0.01", ""}, {"0.01", "0", ""}, {"1000", "0", "less than a tenth of"}, {"10", "0", ""}, {"0", "0.0", ""},
		{"9007199254740993", "90071992547409930", ""}, {"9007199254740993", "90071992547409931", "more than ten times"},
		{"1e3", "1.1e4", "more than ten times"}, {"1e3", "1e4", ""}, {"1", "1e999999999", ""}, {"soon", "12", ""}, {"12", "", ""},
	} {
		got := leap(Line{Label: "Total", Before: &c.before, After: &c.after})
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s, then %s: %q, want %q", c.before, c.after, got, c.says)
		}
	}
	five := "5"
	if got := leap(Line{After: &five}) + leap(Line{Before: &five}); got != "" {
		t.Errorf("of nothing: %s", got)
	}
	if got := leap(Line{Label: "Total", Before: &five, After: new("500")}); got != "Total: “500” is more than ten times “5”." {
		t.Error(got)
	}
}
