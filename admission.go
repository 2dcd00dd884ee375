package deputy

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// enter is the gate, in its one order: access, kill switch, (budget,) rate. A refusal is one error and nothing else: no conversation, no
// model call, no host request, no row.
func (a *Assistant) enter(ctx context.Context, who Person) (Person, error) {
	who, err := a.pass(ctx, who)
	if err != nil {
		return Person{}, err
	}
	if !a.rate.Allow(who.Key(), a.cfg.Clock()) {
		return Person{}, Errorf(RateLimited, "You have started %d turns within a minute. Wait a moment and ask again.", a.cfg.Limits.TurnsPerMinute)
	}
	return who, nil
}

// pass is the gate of what is neither budgeted nor rated: decisions, and reading a result again.
func (a *Assistant) pass(ctx context.Context, who Person) (Person, error) {
	who, err := a.access(ctx, who)
	if err != nil {
		return Person{}, err
	}
	return who, a.alive(ctx)
}

// access finds the person's rights of now; without a role of the policy there are none.
func (a *Assistant) access(ctx context.Context, who Person) (Person, error) {
	if who.ID == "" {
		return Person{}, Errorf(Unauthenticated, "Sign in first.")
	}
	if a.cfg.Directory != nil {
		now, err := a.cfg.Directory.Lookup(ctx, who.Issuer, who.ID)
		if err != nil {
			return Person{}, directoryError(err)
		}
		if now.Credential == "" {
			now.Credential = who.Credential
		}
		who = now
	}
	if len(a.cfg.Policy.Of(who.Roles)) == 0 {
		return Person{}, Errorf(PermissionDenied, "You have no access to this assistant. Ask its operator for a role.")
	}
	return who, nil
}

// view opens the host as a person, with the rights of now.
func (a *Assistant) view(ctx context.Context, who Person) (*View, error) {
	return a.guard.View(ctx, who, a.clock(who))
}

// rightsOf identifies the rights of a person: equal ones read the same.
func (a *Assistant) rightsOf(who Person) string {
	return a.guard.Fingerprint(who)
}

func directoryError(err error) error {
	if CodeOf(err) == NotFound {
		return &Error{Code: PermissionDenied, Message: "You have no access to this assistant any more.", Cause: err}
	}
	return &Error{Code: Unavailable, Message: "Your rights cannot be looked up at the moment. Try again later.", Cause: err}
}

// alive is the kill switch; one that cannot be read counts as thrown.
func (a *Assistant) alive(ctx context.Context) error {
	k, err := ReadKillSwitch(ctx, a.cfg.Store.Settings)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &Error{Code: Killed, Message: "The kill switch cannot be read, so everything is stopped.", Cause: err}
	case k.All && k.Reason != "":
		return Errorf(Killed, "The assistant is switched off: %s", k.Reason)
	case k.All:
		return Errorf(Killed, "The assistant is switched off.")
	}
	return nil
}

// KillSwitch stops everything while All is set.
type KillSwitch struct {
	All    bool      `json:"all"`
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

const killSwitchSetting = "kill_switch"

// ReadKillSwitch reads the switch from a store: for who has the store at hand (the operator's command line).
func ReadKillSwitch(ctx context.Context, s Settings) (KillSwitch, error) {
	var k KillSwitch
	raw, err := s.Get(ctx, killSwitchSetting)
	if CodeOf(err) == NotFound {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	return k, json.Unmarshal(raw, &k)
}

// WriteKillSwitch throws the switch in a store, or takes it back.
func WriteKillSwitch(ctx context.Context, s Settings, k KillSwitch) error {
	raw, err := json.Marshal(k)
	return errors.Join(err, s.Put(ctx, killSwitchSetting, raw))
}
