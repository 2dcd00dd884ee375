package kernel_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/toolset/kernel"
)

func bench(t *testing.T) (*deputytest.Desk, *hosttest.Fake) {
	t.Helper()
	policy := deputy.Policy{Roles: map[string]deputy.Role{"clerk": {Tools: []string{"*"}}}}
	desk := deputytest.New(t, deputytest.Config{Policy: policy, Toolsets: []deputy.Toolset{kernel.New()}})
	return desk, desk.Host
}

func clerk(zone *time.Location) deputy.Caller {
	who := deputytest.Person("1", "clerk")
	who.Zone = zone
	return who
}

func call(t *testing.T, tool string, arguments map[string]string) scripted.Answer {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return deputytest.Call(tool, string(raw))
}

func TestCalculate(t *testing.T) {
	t.Parallel()
	b, host := bench(t)
	for expr, want := range map[string]string{
		"0.1 + 0.2":                        "0.3",
		"1499.90 * 0.25":                   "374.975",
		"round(1499.90 * 0.25, 2)":         "374.98",
		"9007199254740993 + 1":             "9007199254740994",
		"12345678901234567.89 * 100":       "1234567890123456789",
		"1 / 8":                            "0.125",
		"7 % 3":                            "1",
		"abs(-2.50)":                       "2.5",
		"2 * (3 + 4) - -1":                 "15",
		"1.10 > 1.1 ? \"more\" : \"same\"": "same",
		"3 > 2.9 && 1 != 2":                "true",
	} {
		r := b.Run(clerk(nil), call(t, "calculate", map[string]string{"expr": expr}))
		var got struct{ Result string }
		if r.Outcomes[0] != deputy.Ran {
			t.Errorf("%s: %s", expr, r.Results[0])
			continue
		}
		if err := json.Unmarshal(r.Data(t, 0), &got); err != nil {
			t.Fatal(err)
		}
		if trimmed(got.Result) != want {
			t.Errorf("%s is %s, want %s", expr, got.Result, want)
		}
	}
	if len(host.Asked()) > 0 {
		t.Error("the host was asked")
	}
}

// trimmed drops the zeros that mean nothing.
func trimmed(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func TestCalculateRefuses(t *testing.T) {
	t.Parallel()
	b, _ := bench(t)
	for expr, want := range map[string]string{
		"1 / 0":         "has no result",
		"1 +":           "column",
		"price * 2":     "price",
		"salary":        "salary",
		"":              "",
		"12,50":         "column",
		"\"a\" * 2":     "",
		"person.id":     "",
		"all.x.count()": "",
	} {
		r := b.Run(clerk(nil), call(t, "calculate", map[string]string{"expr": expr}))
		if r.Outcomes[0] != deputy.Refused || !strings.Contains(r.Results[0], want) {
			t.Errorf("%s: %s %q, want a refusal with %q", expr, r.Outcomes[0], r.Results[0], want)
		}
	}
}

func TestCurrentDatetime(t *testing.T) {
	t.Parallel()
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	b, host := bench(t)
	for _, c := range []struct {
		zone *time.Location
		args map[string]string
		want string
	}{
		{nil, nil, `{"call_id":"c1","date":"2026-01-02","time":"03:04:05","zone":"UTC","offset":"+00:00","weekday":"Friday","week":"2026-W01"}`},
		{oslo, nil, `{"call_id":"c1","date":"2026-01-02","time":"04:04:05","zone":"Europe/Oslo","offset":"+01:00","weekday":"Friday","week":"2026-W01"}`},
		{oslo, map[string]string{"zone": "America/New_York"}, `{"call_id":"c1","date":"2026-01-01","time":"22:04:05","zone":"America/New_York","offset":"-05:00","weekday":"Thursday","week":"2026-W01"}`},
	} {
		r := b.Run(clerk(c.zone), call(t, "current_datetime", c.args))
		if got := string(r.Data(t, 0)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	for _, zone := range []string{"Local", "Mars/Olympus", "../../etc/passwd"} {
		r := b.Run(clerk(nil), call(t, "current_datetime", map[string]string{"zone": zone}))
		if r.Outcomes[0] != deputy.Refused || !strings.Contains(r.Results[0], "IANA") {
			t.Errorf("%s: %s %q", zone, r.Outcomes[0], r.Results[0])
		}
	}
	if len(host.Asked()) > 0 {
		t.Error("the host was asked")
	}
}
