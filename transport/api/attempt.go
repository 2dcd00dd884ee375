package api

import (
	"context"
	"encoding/json"
	"net/http"

	"example.com/deputy"
	"github.com/danielgtaylor/huma/v2"
)

// keyHeader names a request, so that it can be sent again without being carried out again.
const keyHeader = "Idempotency-Key"

// maxKey is the longest key, in bytes.
const maxKey = 255

type attemptKey struct{}

// keyed reads the key of a POST; it stands for this route, ids included, and no other.
func keyed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys := r.Header.Values(keyHeader)
		switch {
		case r.Method != http.MethodPost || len(keys) == 0:
		case len(keys) > 1 || !visible(keys[0]):
			writeProblem(w, newProblem(deputy.Errorf(deputy.Invalid, "%s: send one, of 1 to %d visible ASCII characters, such as a UUID.", keyHeader, maxKey)))
			return
		default:
			r = r.WithContext(context.WithValue(r.Context(), attemptKey{}, r.Method+" "+r.URL.Path+"\n"+keys[0]))
		}
		next.ServeHTTP(w, r)
	})
}

func visible(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return 0 < len(key) && len(key) <= maxKey
}

// takesKey documents the header.
func takesKey(op *huma.Operation) {
	least, most := 1, maxKey
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: keyHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most, Pattern: "^[!-~]+$"},
		Description: "A name of your own for this request. Sent again with it within a day, the request is answered again and not carried out again.",
	})
}

// action is a route that does something, in two parts, so that one that is asked for twice is done once and told twice.
type action[In, Out any] struct {
	prefix string // of the id of what comes of it
	// do carries it out; what comes of it gets the id, where one is given. It says the id.
	do func(ctx context.Context, who deputy.Caller, in *In, id string) (string, error)
	// tell makes the answer out of what has come of it; not_found where nothing has.
	tell func(ctx context.Context, who deputy.Caller, in *In, id string) (*Out, error)
}

// post registers an action.
func post[In, Out any](s *server, api huma.API, path, summary string, a action[In, Out], changes ...func(*huma.Operation)) {
	add(s, api, "POST "+path, summary, func(ctx context.Context, who deputy.Caller, in *In) (*Out, error) {
		key, named := ctx.Value(attemptKey{}).(string)
		if named {
			return a.once(ctx, s.door, who, in, key)
		}
		id, err := a.do(ctx, who, in, "")
		return a.told(ctx, who, in, id, err)
	}, append(changes, takesKey)...)
}

// once carries a request under a key out, unless that was done before.
func (a action[In, Out]) once(ctx context.Context, door *deputy.Door, who deputy.Caller, in *In, key string) (*Out, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	attempt, err := door.Begin(ctx, who, deputy.Attempt{Key: key, Body: string(body)}, a.prefix)
	if err != nil {
		return nil, err
	}
	if attempt.Done {
		return a.tell(ctx, who, in, attempt.ID)
	}
	if attempt.Epoch > 1 { // its process died, or does not know what became of it
		out, err := a.tell(ctx, who, in, attempt.ID)
		if deputy.CodeOf(err) != deputy.NotFound {
			door.End(ctx, who, attempt, err)
			return out, err
		}
	}
	id, err := a.do(ctx, who, in, attempt.ID)
	door.End(ctx, who, attempt, err)
	return a.told(ctx, who, in, id, err)
}

// told is the answer to what was carried out. That a record had changed meanwhile is one.
func (a action[In, Out]) told(ctx context.Context, who deputy.Caller, in *In, id string, err error) (*Out, error) {
	if err != nil && deputy.CodeOf(err) != deputy.Stale {
		return nil, err
	}
	return a.tell(ctx, who, in, id)
}
