package app

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/deputy"
)

// tokenIssuer is the issuer of people known by a static token.
const tokenIssuer = "token"

// tokens are the static bearer tokens: who each is, and by which doors it may come in. It is also the Directory of these people.
type tokens struct{ all []token }

type token struct {
	sum      [sha256.Size]byte // of the token: equal lengths, so that comparing takes the same time for every guess
	person   deputy.Person
	channels []deputy.Channel
	confirm  bool
}

func newTokens(c AuthConfig) tokens {
	var out tokens
	for _, t := range c.Tokens {
		one := token{
			sum:      sha256.Sum256([]byte(t.Token)),
			person:   deputy.Person{Issuer: tokenIssuer, ID: t.ID, Name: t.Name, Roles: t.Roles, Attributes: t.Attributes},
			channels: []deputy.Channel{deputy.Chat},
			confirm:  t.Confirm == nil || *t.Confirm,
		}
		if t.Name == "" {
			one.person.Name = t.ID
		}
		if t.Channels != nil {
			one.channels = nil
			for _, c := range t.Channels {
				one.channels = append(one.channels, deputy.Channel(c))
			}
		}
		out.all = append(out.all, one)
	}
	return out
}

// caller is whose token it is at a door.
func (ts tokens) caller(text string, at deputy.Channel) (deputy.Caller, error) {
	sum := sha256.Sum256([]byte(text))
	found := -1
	for i, t := range ts.all {
		if subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1 {
			found = i
		}
	}
	if found < 0 {
		return deputy.Caller{}, deputy.Errorf(deputy.Unauthenticated, "This token is not known here. Send a valid one as Authorization: Bearer.")
	}
	if !slices.Contains(ts.all[found].channels, at) {
		return deputy.Caller{}, deputy.Errorf(deputy.PermissionDenied, "This token may not be used here. Its operator can add %s to its channels.", at)
	}
	return deputy.Caller{Person: clone(ts.all[found].person), Confirm: ts.all[found].confirm}, nil
}

// authenticate reads the Authorization header.
func (ts tokens) authenticate(r *http.Request) (deputy.Caller, error) {
	scheme, text, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || text == "" {
		return deputy.Caller{}, deputy.Errorf(deputy.Unauthenticated, "Send a token as Authorization: Bearer.")
	}
	return ts.caller(strings.TrimSpace(text), deputy.Chat)
}

// byID is the caller with an id of auth.tokens, as if their token had been shown.
func (ts tokens) byID(id string) (deputy.Caller, bool) {
	for _, t := range ts.all {
		if t.person.ID == id {
			return deputy.Caller{Person: clone(t.person), Confirm: t.confirm}, true
		}
	}
	return deputy.Caller{}, false
}

// Lookup implements deputy.Directory.
func (ts tokens) Lookup(_ context.Context, issuer, id string) (deputy.Person, error) {
	if who, ok := ts.byID(id); ok && issuer == tokenIssuer {
		return who.Person, nil
	}
	return deputy.Person{}, deputy.Errorf(deputy.NotFound, "No such person.")
}

func clone(p deputy.Person) deputy.Person {
	p.Roles, p.Attributes = slices.Clone(p.Roles), maps.Clone(p.Attributes)
	return p
}
