package deputy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Attempt is a request under a key of its caller's own. Sent again it is answered again, not carried out again; what is kept for that is
// not the answer but what it can be made of: the id of what came of the request.
type Attempt struct {
	Key     string    // what its caller calls it, the route in front; stored as a hash
	Body    string    // what they ask for; stored as a hash
	ID      string    // of what is to come of it, chosen before anything does: whoever goes on with it finds what is there
	Done    bool      // it was carried out
	Epoch   int64     // how often it was begun: above 1 something may have come of it
	Until   time.Time // who works on it has until then
	Expires time.Time // it is forgotten then
}

// attemptKept is how long the answer to a request can be had again.
const attemptKept = 24 * time.Hour

// Begin says how to go on with a request of the caller's, of which Key and Body are given. Where it is Done, only its answer is wanted. Where
// Epoch is above 1 it was left half way: what came of it is looked for first, by its ID. Else it is carried out with that ID, which begins
// with prefix. unprocessable where the key stands for another body; conflict while the first of its kind is under way.
func (d *Door) Begin(ctx context.Context, who Caller, a Attempt, prefix string) (Attempt, error) {
	if _, err := d.a.access(ctx, who.Person); err != nil {
		return Attempt{}, err
	}
	now := d.a.cfg.Clock()
	a = Attempt{Key: digest(a.Key), Body: digest(a.Body), ID: d.a.id(prefix), Until: now.Add(leaseFor), Expires: now.Add(attemptKept)}
	stands, mine, err := d.a.cfg.Store.Attempts.Begin(ctx, who.Person, a, now)
	switch {
	case err != nil:
		return Attempt{}, err
	case stands.Body != a.Body:
		return Attempt{}, Errorf(Unprocessable, "This key was sent with another request before. Give each request a key of its own, and keep it when you send the same one again.")
	case !mine && !stands.Done:
		return Attempt{}, Errorf(Conflict, "The same request is being worked on. Send it again in a moment, with the same key, for its answer.")
	}
	return stands, nil
}

// End says what became of carrying it out: nil and stale are answers to be had again; a refusal leaves nothing, its key is free; after
// anything else whoever sends the request again finds out.
func (d *Door) End(ctx context.Context, who Caller, a Attempt, err error) {
	ctx, attempts, end := context.WithoutCancel(ctx), d.a.cfg.Store.Attempts, Attempts.End
	switch CodeOf(err) {
	case Internal, Timeout, Unavailable:
		a.Done = err == nil
	case Stale:
		a.Done = true
	default:
		if a.Epoch == 1 {
			end = Attempts.Forget
		}
	}
	if err := end(attempts, ctx, who.Person, a); err != nil {
		d.a.complain(ctx, "attempt", err)
	}
}

func digest(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
