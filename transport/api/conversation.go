package api

import (
	"context"
	"encoding/json"
	"time"

	"example.com/deputy"
)

type conversationJSON struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func conversation(c deputy.Conversation) conversationJSON {
	return conversationJSON{c.ID, c.Title, c.CreatedAt.UTC(), c.UpdatedAt.UTC()}
}

type conversationOutput struct{ Body conversationJSON }

func oneConversation(c deputy.Conversation, err error) (*conversationOutput, error) {
	return &conversationOutput{conversation(c)}, err
}

type createConversationInput struct {
	Body *struct {
		Title string `json:"title,omitempty" maxLength:"200"`
	}
}

func (s *server) newConversation() action[createConversationInput, conversationOutput] {
	return action[createConversationInput, conversationOutput]{
		prefix: "cnv_",
		do: func(ctx context.Context, who deputy.Caller, in *createConversationInput, id string) (string, error) {
			c := deputy.Conversation{ID: id}
			if in.Body != nil {
				c.Title = in.Body.Title
			}
			c, err := s.door.NewConversation(ctx, who, c)
			return c.ID, err
		},
		tell: func(ctx context.Context, who deputy.Caller, _ *createConversationInput, id string) (*conversationOutput, error) {
			return oneConversation(s.door.Conversation(ctx, who, id))
		},
	}
}

type listConversationsInput struct {
	After string `query:"after" doc:"the next of the page before" maxLength:"20"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Term  string `query:"term" doc:"Part of the title" maxLength:"200"`
}

func (s *server) listConversations(ctx context.Context, who deputy.Caller, in *listConversationsInput) (*listOutput[conversationJSON], error) {
	before, err := place(in.After)
	if err != nil {
		return nil, err
	}
	cs, err := s.door.Conversations(ctx, who, in.Term, before, in.Limit+1)
	return page(cs, in.Limit, func(c deputy.Conversation) int64 { return c.Seq }, conversation), err
}

func (s *server) getConversation(ctx context.Context, who deputy.Caller, in *idInput) (*conversationOutput, error) {
	return oneConversation(s.door.Conversation(ctx, who, in.ID))
}

type renameConversationInput struct {
	ID   string `path:"id"`
	Body struct {
		Title string `json:"title" maxLength:"200"`
	}
}

func (s *server) renameConversation(ctx context.Context, who deputy.Caller, in *renameConversationInput) (*conversationOutput, error) {
	return oneConversation(s.door.RenameConversation(ctx, who, in.ID, in.Body.Title))
}

func (s *server) deleteConversation(ctx context.Context, who deputy.Caller, in *idInput) (*nothing, error) {
	return nil, s.door.DeleteConversation(ctx, who, in.ID)
}

type messageJSON struct {
	Seq   int64              `json:"seq"`
	Role  deputy.MessageRole `json:"role"`
	Parts []partJSON         `json:"parts"`
	Class string             `json:"class"`
	Turn  *string            `json:"turn"`
	At    time.Time          `json:"at"`
}

// partJSON is one piece of a message: the field that type names is set, no other.
type partJSON struct {
	Type      string          `json:"type" enum:"text,reasoning,call,result,proposal,display"`
	Text      *string         `json:"text,omitempty"`
	Reasoning *string         `json:"reasoning,omitempty"`
	Call      *callPart       `json:"call,omitempty"`
	Result    *resultPart     `json:"result,omitempty"`
	Proposal  *proposalPart   `json:"proposal,omitempty"`
	Display   json.RawMessage `json:"display,omitempty"`
}

type callPart struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

type resultPart struct {
	Call      string         `json:"call"`
	Outcome   deputy.Outcome `json:"outcome"`
	Text      string         `json:"text"`
	Withheld  bool           `json:"withheld,omitempty" doc:"Read under rights that no longer hold"`
	Returned  int            `json:"returned,omitempty"`
	Truncated bool           `json:"truncated,omitempty"`
}

type proposalPart struct {
	ID string `json:"id"`
}

type listMessagesInput struct {
	ID    string `path:"id"`
	After string `query:"after" doc:"the next of the page before" maxLength:"20"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

func (s *server) listMessages(ctx context.Context, who deputy.Caller, in *listMessagesInput) (*listOutput[messageJSON], error) {
	after, err := place(in.After)
	if err != nil {
		return nil, err
	}
	ms, err := s.door.Messages(ctx, who, in.ID, after, in.Limit+1)
	return page(ms, in.Limit, func(m deputy.Message) int64 { return m.Seq }, message), err
}

func message(m deputy.Message) messageJSON {
	return messageJSON{m.Seq, m.Role, parts(m.Parts, false), "internal", optional(m.Turn), m.At.UTC()}
}

// parts leaves out what only its own model understands. A model sees calls by their reference (c1), everybody else by their id.
func parts(ps []deputy.Part, model bool) []partJSON {
	out := make([]partJSON, 0, len(ps))
	for _, p := range ps {
		if j := part(p, model); j.Type != "" {
			out = append(out, j)
		}
	}
	return out
}

func part(p deputy.Part, model bool) partJSON {
	switch {
	case p.Call != nil:
		c := callPart{p.Call.ID, p.Call.Tool, p.Call.Arguments}
		if model {
			c.ID = p.Call.Ref
		}
		return partJSON{Type: "call", Call: &c}
	case p.Result != nil:
		r := resultPart{p.Result.Call, p.Result.Outcome, p.Result.Text, p.Result.Withheld, p.Result.Returned, p.Result.Truncated}
		if model {
			r.Call = p.Result.Ref
		}
		return partJSON{Type: "result", Result: &r}
	case p.Proposal != "":
		return partJSON{Type: "proposal", Proposal: &proposalPart{p.Proposal}}
	case p.Display != nil:
		return partJSON{Type: "display", Display: p.Display}
	case p.Reasoning != "":
		return partJSON{Type: "reasoning", Reasoning: &p.Reasoning}
	case p.Text != "":
		return partJSON{Type: "text", Text: &p.Text}
	}
	return partJSON{}
}
