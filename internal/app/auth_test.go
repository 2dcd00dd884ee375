package app

import (
	"net/http"
	"testing"

	"example.com/deputy"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	no := false
	ts := newTokens(AuthConfig{Tokens: []TokenConfig{
		{Token: "one", ID: "ann", Name: "Ann", Roles: []string{"support"}, Attributes: map[string]string{"employee_id": "3"}},
		{Token: "two", ID: "bob", Confirm: &no},
		{Token: "three", ID: "eve", Channels: []string{}},
	}})
	for header, want := range map[string]struct {
		id      string
		code    deputy.Code
		confirm bool
	}{
		"Bearer one": {"ann", "", true}, "bearer one": {"ann", "", true}, "Bearer two": {"bob", "", false},
		"Bearer three": {"", deputy.PermissionDenied, false}, "Bearer One": {"", deputy.Unauthenticated, false}, "Bearer on": {"", deputy.Unauthenticated, false},
		"Bearer ": {"", deputy.Unauthenticated, false}, "Basic one": {"", deputy.Unauthenticated, false}, "": {"", deputy.Unauthenticated, false},
	} {
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		who, err := ts.authenticate(r)
		if err != nil && deputy.CodeOf(err) != want.code || err == nil && want.code != "" || who.ID != want.id || who.Confirm != want.confirm {
			t.Errorf("%q: %+v, %v", header, who, err)
		}
		if err == nil && who.Issuer != "token" {
			t.Errorf("%q: issuer %s", header, who.Issuer)
		}
	}
}

func TestTheDirectoryKnowsItsPeopleOnly(t *testing.T) {
	t.Parallel()
	ts := newTokens(AuthConfig{Tokens: []TokenConfig{{Token: "one", ID: "ann", Roles: []string{"support"}, Attributes: map[string]string{"a": "1"}}}})
	who, err := ts.Lookup(t.Context(), "token", "ann")
	if err != nil || who.Name != "ann" || who.Attributes["a"] != "1" {
		t.Fatalf("%+v, %v", who, err)
	}
	who.Attributes["a"], who.Roles[0] = "2", "root"
	if again, _ := ts.Lookup(t.Context(), "token", "ann"); again.Attributes["a"] != "1" || again.Roles[0] != "support" {
		t.Error("what is handed out is the directory's own")
	}
	for _, other := range [][2]string{{"token", "bob"}, {"https://issuer.example", "ann"}, {"", "ann"}} {
		if _, err := ts.Lookup(t.Context(), other[0], other[1]); deputy.CodeOf(err) != deputy.NotFound {
			t.Errorf("%v: %v", other, err)
		}
	}
}
