package provenance_test

import (
	"testing"

	"example.com/deputy/internal/provenance"
)

func TestSays(t *testing.T) {
	t.Parallel()
	for text, wants := range map[string]map[string]bool{
		"call it Acme AS, please":   {"Acme AS": true, "acme": true, "cme": false, "Acme AB": false},
		"it is 1,500 or -7 or 5.25": {"1,500": true, "500": false, "1": false, "-7": true, "7": false, "5.25": true, "25": false, "5": false},
		"12.50, and 13.":            {"12.5": true, "12.50": true, "12": false, "13": true},
		"blåbær":                    {"blåbær": true, "bl": false, "bær": false},
		"":                          {"x": false},
	} {
		for want, is := range wants {
			if provenance.Says(text, provenance.Normal(want)) != is {
				t.Errorf("%q says %q: not %v", text, want, is)
			}
		}
	}
}

func TestHasCell(t *testing.T) {
	t.Parallel()
	result := `<data call="c1">
{"call_id":"c1","columns":[{"name":"name"},{"name":"customer.total"},{"name":"\"typed\""}],"rows":[["Acme","12.50","typed"],[null,7,true]],
"children":{"notes":{"columns":[{"name":"text"}],"rows":[["Call back"]]}}}
</data>`
	for want, is := range map[string]bool{"acme": true, "12.5": true, "7": true, "call back": true, "typed": false, "true": false, "null": false, "other": false} {
		if provenance.HasCell(result, provenance.Normal(want)) != is {
			t.Errorf("%q: not %v", want, is)
		}
	}
	for _, text := range []string{"", "Error: no", "{", "}{", `{"rows":[[1]]}`} {
		if provenance.HasCell(text, "1") {
			t.Errorf("%q has a cell", text)
		}
	}
}

func FuzzSays(f *testing.F) {
	f.Add("it is 1,500", "500")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, text, want string) {
		if want = provenance.Normal(want); want != "" && !provenance.Says(want, want) && want[0] != '-' {
			t.Logf("%q does not say itself", want) // where it begins or ends in the middle of a number, nothing does
		}
		provenance.HasCell(text, want)
		if want == "" {
			return
		}
		provenance.Says(text, want)
	})
}
