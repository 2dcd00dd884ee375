package app

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
)

func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := jsonSchema()
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTheSchemaAcceptsWhatIsRead: what the loader reads is good by the schema, what it refuses for its form is not.
func TestTheSchemaAcceptsWhatIsRead(t *testing.T) {
	t.Parallel()
	r := resolved(t)
	for name, c := range map[string]struct {
		text string
		good bool
	}{
		"every key":   {strings.NewReplacer("${AGENT_TOKEN}", "x", "${MODEL_KEY}", "y").Replace(whole), true},
		"the demo's":  {strings.ReplaceAll(string(demoYAML), "${DEMO_EMPLOYEE}", "7"), true},
		"unknown key": {least + "lisden: x", false},
		"not built":   {least + "classes: [a]", false},
		"no host":     {"listen: 'a:1'", false},
		"no id":       {least + "auth: { tokens: [ { token: a } ] }", false},
		"count":       {least + "limits: { steps: 0 }", false},
		"provider":    {least + "models: [ { name: a, provider: nobody } ]", false},
		"read":        {least + "policy: { roles: { a: { tables: { t: { read: 1 } } } } }", false},
	} {
		var v any
		if err := yaml.Unmarshal([]byte(c.text), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// As JSON has it: the validator knows its types only.
		j, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(j, &v); err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(v); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
