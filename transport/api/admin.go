package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"example.com/deputy"
)

type healthOutput struct {
	Body struct {
		Status string `json:"status"`
	}
}

type none struct{}

func (s *server) health(context.Context, deputy.Caller, *none) (*healthOutput, error) {
	out := &healthOutput{}
	out.Body.Status = "ok"
	return out, nil
}

func (s *server) ready(ctx context.Context, _ deputy.Caller, _ *none) (*healthOutput, error) {
	if s.opts.Ready != nil {
		if err := s.opts.Ready(ctx); err != nil {
			return nil, &deputy.Error{Code: deputy.Unavailable, Message: "The server is not ready. The operator's log says why.", Cause: err}
		}
	}
	return s.health(ctx, deputy.Caller{}, nil)
}

// DemoPerson is one of the people that a demo lets anybody be.
type DemoPerson struct {
	Name  string `json:"name"`
	Token string `json:"token"`
	About string `json:"about"` // what they may do, in a few words
}

// demoPeople gives tokens away, so it answers nobody but this machine, whatever the server listens on.
func (s *server) demoPeople(w http.ResponseWriter, r *http.Request) {
	if !known(hostname(r.RemoteAddr), "") {
		writeProblem(w, notFound())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = encode(w, list[DemoPerson]{Items: s.opts.Demo}) // a reader that is gone is not ours to mend
}

type meJSON struct {
	Person     personJSON      `json:"person"`
	Roles      []string        `json:"roles"`
	Confirm    bool            `json:"confirm" doc:"This credential may decide proposals"`
	Audit      bool            `json:"audit"`
	Operate    bool            `json:"operate"`
	Words      []string        `json:"words" doc:"What may be read and done, in sentences"`
	Tables     []abilityJSON   `json:"tables"`
	Actions    []actionJSON    `json:"actions"`
	KillSwitch *killSwitchJSON `json:"kill_switch" doc:"null while it is off"`
	Model      modelJSON       `json:"model"`
}

type abilityJSON struct {
	Table   string `json:"table"`
	Label   string `json:"label"`
	Read    any    `json:"read" doc:"true, false, or the names of fields"`
	Create  any    `json:"create" doc:"true, false, or the names of fields"`
	Update  any    `json:"update" doc:"true, false, or the names of fields"`
	Delete  bool   `json:"delete"`
	Limited bool   `json:"limited" doc:"A rule says which records"`
}

type actionJSON struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

type modelJSON struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Offline  bool   `json:"offline" doc:"Built-in rules, no language model"`
}

type meOutput struct{ Body meJSON }

func (s *server) me(ctx context.Context, who deputy.Caller, _ *none) (*meOutput, error) {
	m, err := s.door.Me(ctx, who)
	if err != nil {
		return nil, err
	}
	out := meJSON{
		Person: person(m.Person), Roles: append([]string{}, m.Person.Roles...), Confirm: m.Confirm, Audit: m.Audit, Operate: m.Operate,
		Words: append([]string{}, m.Words...), Tables: make([]abilityJSON, 0, len(m.Tables)),
		Actions: make([]actionJSON, 0, len(m.Actions)),
		Model:   modelJSON{m.Model.Name, m.Model.Provider, m.Model.Model, m.Model.Offline},
	}
	for _, a := range m.Tables {
		r := a.Rights
		out.Tables = append(out.Tables, abilityJSON{a.Table, a.Label, fields(r.Read), fields(r.Create), fields(r.Update), r.Delete, r.Limited})
	}
	for _, a := range m.Actions {
		out.Actions = append(out.Actions, actionJSON(a))
	}
	if m.Killed != nil {
		k := killSwitch(*m.Killed)
		out.KillSwitch = &k
	}
	return &meOutput{out}, nil
}

func fields(f deputy.Fields) any {
	if f.All || len(f.Names) == 0 {
		return f.All
	}
	return f.Names
}

type killSwitchJSON struct {
	All    bool       `json:"all"`
	Reason string     `json:"reason"`
	By     string     `json:"by"`
	At     *time.Time `json:"at"`
}

func killSwitch(k deputy.KillSwitch) killSwitchJSON {
	return killSwitchJSON{k.All, k.Reason, k.By, moment(k.At)}
}

type killSwitchOutput struct{ Body killSwitchJSON }

func (s *server) getKillSwitch(ctx context.Context, who deputy.Caller, _ *none) (*killSwitchOutput, error) {
	k, err := s.door.KillSwitch(ctx, who)
	return &killSwitchOutput{killSwitch(k)}, err
}

type putKillSwitchInput struct {
	Body struct {
		All    bool   `json:"all,omitempty" doc:"Stop everything; absent: let it run again"`
		Reason string `json:"reason" maxLength:"500"`
	}
}

func (s *server) putKillSwitch(ctx context.Context, who deputy.Caller, in *putKillSwitchInput) (*killSwitchOutput, error) {
	k, err := s.door.SetKillSwitch(ctx, who, in.Body.All, in.Body.Reason)
	return &killSwitchOutput{killSwitch(k)}, err
}

type promptInput struct {
	Conversation string `query:"conversation" required:"true"`
}

type promptJSON struct {
	System   string         `json:"system"`
	Tools    []toolSpecJSON `json:"tools"`
	Messages []messageJSON  `json:"messages"`
	Tail     string         `json:"tail"`
}

type toolSpecJSON struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Deferred    bool            `json:"deferred,omitempty"`
}

type promptOutput struct{ Body promptJSON }

func (s *server) prompt(ctx context.Context, who deputy.Caller, in *promptInput) (*promptOutput, error) {
	r, err := s.door.Prompt(ctx, who, in.Conversation)
	if err != nil {
		return nil, err
	}
	out := promptJSON{System: r.Instructions(), Tail: r.Tail, Tools: make([]toolSpecJSON, 0, len(r.Tools)), Messages: make([]messageJSON, 0, len(r.Messages))}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, toolSpecJSON{t.Name, t.Description, t.Schema, t.Deferred})
	}
	for _, m := range r.Messages {
		j := message(m)
		j.Parts = parts(m.Parts, true)
		out.Messages = append(out.Messages, j)
	}
	return &promptOutput{out}, nil
}
