package providertest

import (
	"errors"
	"testing"
	"testing/synctest"

	"example.com/deputy"
)

// FuzzStream holds that, whatever a server sends, an answer ends, with one reason to stop or with one error of ours, with usage at most once, and with
// calls that have arguments. The cases are the seeds. A reader that asks on when an answer is interrupted is given the same once more.
func FuzzStream(f *testing.F, api API) {
	for _, name := range files(f, api) {
		for _, a := range readFile(f, name).answers(f) {
			f.Add(a.status, []byte(a.body))
		}
	}
	f.Add(400, []byte(`{"error":{"message":"x"}}`))
	f.Add(200, []byte("\ufeffdata: [DONE]"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		synctest.Test(t, func(t *testing.T) { whatever(t, api, status, body) }) // what is waited for passes at once
	})
}

func whatever(t *testing.T, api API, status int, body []byte) {
	t.Helper()
	if status != 400 && status != 401 {
		status = 200 // others are waited for and asked again
	}
	s := &server{answers: []answer{{status: status, body: string(body)}, {status: 401}}}
	ends, usages := 0, 0
	for c, err := range api.model(t, s, true).Stream(t.Context(), question()) {
		var known *deputy.Error
		switch {
		case ends > 0:
			t.Fatal("something came after the end")
		case err != nil && !errors.As(err, &known):
			t.Fatalf("an error of another kind: %v", err)
		case c.Call != nil && len(c.Call.Arguments) == 0:
			t.Fatal("a call without arguments")
		}
		if c.Usage != nil {
			usages++
		}
		if err != nil || c.Stop != "" {
			ends++
		}
	}
	if ends != 1 || usages > 1 {
		t.Fatalf("%d ends, %d usages", ends, usages)
	}
}
