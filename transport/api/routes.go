package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"example.com/deputy"
	"github.com/danielgtaylor/huma/v2"
)

// maxBody is the largest body of a request, in bytes.
const maxBody = 1 << 20

// routes is the whole table.
func (s *server) routes(api huma.API) {
	add(s, api, "GET /healthz", "The process runs", s.health)
	add(s, api, "GET /readyz", "Requests can be served", s.ready)

	add(s, api, "GET /v1/me", "Who you are and what you may do", s.me)

	post(s, api, "/v1/conversations", "Begin a conversation", s.newConversation(), status(http.StatusCreated))
	add(s, api, "GET /v1/conversations", "Your conversations, newest first", s.listConversations)
	add(s, api, "GET /v1/conversations/{id}", "One conversation", s.getConversation)
	add(s, api, "PATCH /v1/conversations/{id}", "Rename a conversation", s.renameConversation)
	add(s, api, "DELETE /v1/conversations/{id}", "Delete a conversation; the log stays", s.deleteConversation, status(http.StatusNoContent))
	add(s, api, "GET /v1/conversations/{id}/messages", "What was said, oldest first", s.listMessages)

	add(s, api, "GET /v1/toolsets", "Toolsets, and which are active in a conversation", s.listToolsets)
	add(s, api, "PUT /v1/conversations/{id}/toolsets/{name}", "Switch a toolset on or off in a conversation", s.putToolset)

	post(s, api, "/v1/conversations/{id}/turns", "Say something", s.newTurn(), streams[turnJSON](api))
	add(s, api, "GET /v1/turns/{id}", "One turn", s.getTurn)
	add(s, api, "GET /v1/turns/{id}/events", "Follow a turn", s.followTurn, streams[turnJSON](nil))
	post(s, api, "/v1/turns/{id}/cancel", "Ask a turn to stop", s.cancelTurn())

	add(s, api, "GET /v1/proposals", "Your proposals, newest first", s.listProposals)
	add(s, api, "GET /v1/proposals/{id}", "One proposal", s.getProposal)
	post(s, api, "/v1/proposals/{id}/confirm", "Carry out a proposal, once", s.confirmProposal())
	post(s, api, "/v1/proposals/{id}/reject", "Turn a proposal down", s.rejectProposal())
	add(s, api, "GET /v1/proposal-groups/{id}", "The proposals of one turn", s.getGroup)
	post(s, api, "/v1/proposal-groups/{id}/confirm", "Carry out a group, once", s.confirmGroup())
	post(s, api, "/v1/proposal-groups/{id}/reject", "Turn all pending ones of a group down", s.rejectGroup())

	add(s, api, "GET /v1/tool-calls", "The tool-call log, newest first", s.listCalls)
	add(s, api, "GET /v1/tool-calls/{id}/result", "The full result of a call, read again with the rights of now", s.getResult, exports(api))

	add(s, api, "GET /v1/admin/kill-switch", "Read the kill switch", s.getKillSwitch)
	add(s, api, "PUT /v1/admin/kill-switch", "Throw the kill switch", s.putKillSwitch)
	add(s, api, "GET /debug/prompt", "What the model would be sent now", s.prompt)
}

// add registers a route. A handler is told who calls: nobody on a public path.
func add[In, Out any](s *server, api huma.API, route, summary string, h func(context.Context, deputy.Caller, *In) (*Out, error), changes ...func(*huma.Operation)) {
	method, path, _ := strings.Cut(route, " ")
	op := huma.Operation{
		OperationID: strings.NewReplacer("GET /", "get/", "PUT /", "put/", "POST /", "post/", "PATCH /", "patch/", "DELETE /", "delete/").Replace(route),
		Method:      method, Path: path, Summary: summary, MaxBodyBytes: maxBody + 1,
	}
	op.OperationID = strings.Trim(strings.NewReplacer("/v1/", "-", "/", "-", "{", "", "}", "").Replace(op.OperationID), "-")
	if private(path) {
		op.Security = []map[string][]string{{"bearer": {}}}
	}
	for _, c := range changes {
		c(&op)
	}
	huma.Register(api, op, func(ctx context.Context, in *In) (*Out, error) {
		out, err := h(ctx, caller(ctx), in)
		if err != nil {
			return nil, s.asStatus(ctx, err)
		}
		return out, nil
	})
}

func (s *server) asStatus(ctx context.Context, err error) error {
	var done *problem
	if errors.As(err, &done) {
		return done
	}
	return s.problem(ctx, err)
}

func status(n int) func(*huma.Operation) {
	return func(op *huma.Operation) { op.DefaultStatus = n }
}

// streams documents the answers of a route that writes its own: events, and T as JSON where an api is given.
func streams[T any](api huma.API) func(*huma.Operation) {
	content := map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString,
		Description: "Events as they happen, the last is turn.finished: `id:` an integer that grows, `event:` turn.started, text.delta, reasoning.delta, tool.started, tool.finished, proposal.created, display, toolset.changed, usage or turn.finished, `data:` JSON. A comment line every 15 s."}}}
	if api != nil {
		content["application/json"] = &huma.MediaType{Schema: api.OpenAPI().Components.Schemas.Schema(typeOf[T](), true, "Turn")}
	}
	return answers(content)
}

// exports documents the forms of a result.
func exports(api huma.API) func(*huma.Operation) {
	file := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	return answers(map[string]*huma.MediaType{
		"application/json": {Schema: api.OpenAPI().Components.Schemas.Schema(typeOf[resultJSON](), true, "Result")},
		csvType:            file,
		xlsxType:           file,
	})
}

func answers(content map[string]*huma.MediaType) func(*huma.Operation) {
	return func(op *huma.Operation) {
		op.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: content}}
	}
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// idInput is a route with an id and nothing else.
type idInput struct {
	ID string `path:"id"`
}

// nothing is an answer without a body.
type nothing struct{}
