package deputy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Attempt is a request under a key of its caller's own. Sent again it is answered again, not carried out again; what is kept for that is
// not the answer but what it is made of: the id of what came of the request.
type Attempt struct {
	Key     string    // the route, and the caller's name for the request; stored as a hash
	Body    string    // what they ask for; stored as a hash
	ID      string    // of what is to come of it, chosen before anything does: whoever goes on with it finds what is there
	Done    bool      // it was carried out
	Epoch   int64     // how often it was begun: above 1 something may have come of it
	Until   time.Time // who works on it has until then
	Expires time.Time // it is forgotten then
}

// Begin says how to go on with a request of the caller's, of which Key and Body are given: Done, only its answer is wanted; with an Epoch above
// 1, what came of its ID is looked for first; else it is carried out with that ID, which begins with prefix. unprocessable where the key
// stands for another body, conflict while the first of its kind is worked on. A key is kept for a day.
func (d *Door) Begin(ctx context.Context, who Caller, a Attempt, prefix string) (Attempt, error) {
	if _, err := d.a.access(ctx, who.Person); err != nil {
		return Attempt{}, err
	}
	now := d.a.cfg.Clock()
	a = Attempt{Key: digest(a.Key), Body: digest(a.Body), ID: d.a.id(prefix), Until: now.Add(leaseFor), Expires: now.Add(24 * time.Hour)}
	stands, mine, err := d.a.cfg.Store.Attempts.Begin(ctx, who.Person, a, now)
	switch {
	case err == nil && stands.Body != a.Body:
		err = Errorf(Unprocessable, "This key was sent with another request before. Give each request a key of its own, and keep it when you send the same one again.")
	case err == nil && !mine && !stands.Done:
		err = Errorf(Conflict, "The same request is being worked on. Send it again in a moment, with the same key, for its answer.")
	}
	return stands, err
}

// End says what came of carrying it out: nil and stale can be told again; a refusal leaves the key free; anything else is for the next to find out.
func (d *Door) End(ctx context.Context, who Caller, a Attempt, err error) {
	ctx, end := context.WithoutCancel(ctx), Attempts.End
	switch code := CodeOf(err); {
	case err == nil, code == Stale:
		a.Done = true
	case a.Epoch == 1 && code != Internal && code != Timeout && code != Unavailable:
		end = Attempts.Forget
	}
	if err := end(d.a.cfg.Store.Attempts, ctx, who.Person, a); err != nil {
		d.a.complain(ctx, "attempt", err)
	}
}

func digest(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
