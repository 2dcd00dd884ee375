package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"example.com/deputy"
	"github.com/danielgtaylor/huma/v2"
)

// callJSON is a row of the log.
type callJSON struct {
	ID           string          `json:"id"`
	Seq          int64           `json:"seq"`
	At           time.Time       `json:"at"`
	Person       string          `json:"person"`
	Channel      deputy.Channel  `json:"channel"`
	Conversation string          `json:"conversation"`
	Turn         string          `json:"turn"`
	Phase        deputy.Phase    `json:"phase"`
	Tool         string          `json:"tool"`
	Kind         deputy.Kind     `json:"kind"`
	Operation    string          `json:"operation"`
	Proposal     *string         `json:"proposal"`
	Outcome      deputy.Outcome  `json:"outcome"`
	Arguments    json.RawMessage `json:"arguments"`
	Returned     int             `json:"returned"`
	Bytes        int             `json:"bytes"`
	Truncated    bool            `json:"truncated"`
	Class        string          `json:"class"`
	DurationMS   int64           `json:"duration_ms"`
	ErrorCode    *deputy.Code    `json:"error_code"`
	PrevHash     *string         `json:"prev_hash"`
	Hash         *string         `json:"hash"`
}

func call(e deputy.Entry) callJSON {
	return callJSON{
		ID: e.ID, Seq: e.Seq, At: e.At.UTC(), Person: e.Person.ID, Channel: e.Channel, Conversation: e.Conversation, Turn: e.Turn, Phase: e.Phase,
		Tool: e.Tool, Kind: e.Kind, Operation: e.Operation, Proposal: optional(e.Proposal), Outcome: e.Outcome, Arguments: e.Arguments,
		Returned: e.Returned, Bytes: e.Bytes, Truncated: e.Truncated, Class: "internal", DurationMS: e.Duration.Milliseconds(), ErrorCode: optional(e.ErrorCode),
	}
}

type listCallsInput struct {
	After        string         `query:"after" doc:"the next of the page before" maxLength:"20"`
	Limit        int            `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Conversation string         `query:"conversation"`
	Turn         string         `query:"turn"`
	Person       string         `query:"person" doc:"id"`
	Tool         string         `query:"tool"`
	Outcome      deputy.Outcome `query:"outcome" enum:"ran,refused,failed,proposed,confirming,confirmed,unknown,stale,rejected,expired"`
}

func (s *server) listCalls(ctx context.Context, who deputy.Caller, in *listCallsInput) (*listOutput[callJSON], error) {
	before, err := place(in.After)
	if err != nil {
		return nil, err
	}
	f := deputy.LogFilter{Conversation: in.Conversation, Turn: in.Turn, PersonID: in.Person, Tool: in.Tool, Outcome: in.Outcome}
	es, err := s.door.Calls(ctx, who, f, before, in.Limit+1)
	return page(es, in.Limit, func(e deputy.Entry) int64 { return e.Seq }, call), err
}

type resultJSON struct {
	Columns   []columnJSON `json:"columns"`
	Rows      [][]any      `json:"rows"`
	Truncated bool         `json:"truncated" doc:"There are more rows than a result holds"`
	Next      *string      `json:"next"`
}

type getResultInput struct {
	ID     string `path:"id"`
	After  string `query:"after" doc:"the next of the page before" maxLength:"20"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" doc:"50 if absent; csv and xlsx hold the whole result if it and after are absent"`
	Format string `query:"format" enum:"json,csv,xlsx" default:"json"`
}

// wholeResult is more rows than any handle holds.
const wholeResult = 1 << 30

// rows is how many are wanted.
func (in *getResultInput) rows() int {
	switch {
	case in.Limit > 0:
		return in.Limit
	case in.Format != "json" && in.After == "":
		return wholeResult
	}
	return 50
}

func (s *server) getResult(ctx context.Context, who deputy.Caller, in *getResultInput) (*huma.StreamResponse, error) {
	after, err := place(in.After)
	if err != nil {
		return nil, err
	}
	if after > wholeResult {
		return nil, newProblem(deputy.Errorf(deputy.Invalid, "after: %q is behind the end of every result; leave it out to begin at the start.", in.After))
	}
	p, err := s.door.Result(ctx, who, in.ID, int(after), in.rows())
	if deputy.CodeOf(err) == deputy.Invalid { // what the call names was there when it ran
		err = deputy.Errorf(deputy.NotFound, "The result cannot be read again as it was asked: %s", deputy.MessageOf(err))
	}
	if err != nil {
		return nil, err
	}
	if in.Format != "json" {
		return export(in.ID, in.Format, p, s.door.Zone(who))
	}
	return answer(http.StatusOK, resultJSON{columns(p.Rows.Columns), cells(p.Rows.Rows, s.door.Zone(who)), p.Truncated, next(int64(p.Next))}), nil
}

// answer is a body of a route that also has other forms.
func answer(status int, v any) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(c huma.Context) {
		c.SetHeader("Content-Type", "application/json")
		c.SetStatus(status)
		_ = encode(c.BodyWriter(), v) // a reader that is gone is not ours to mend
	}}
}
