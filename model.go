package deputy

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
)

// Model is one model of a vendor.
type Model interface {
	// Info does not change while the process runs.
	Info() ModelInfo
	// Stream answers a request. It ends after a chunk with Stop set, or yields one error as its last element. Breaking off, or the end
	// of ctx, cancels the request. A chunk's parts are complete when they are yielded; text and reasoning come as they are made.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// ModelInfo describes a model.
type ModelInfo struct {
	Name     string // as the operator named it
	Provider string // openai, offline, scripted…
	Model    string // the vendor's name for it
	Offline  bool   // the built-in rules, no language model: people are told
	Price    Price
	Deferred bool // it takes deferred tools (ToolSpec.Deferred, ToolResult.Reveals)
}

// Price is per million tokens, as decimal text; empty is nothing.
type Price struct{ Input, CachedInput, Output string }

// Request is neutral: each provider makes its own strict form of the schemas.
type Request struct {
	System   string
	Toolsets string // the last part of the system text, behind what is always the same: empty, or it may differ from request to request
	Tools    []ToolSpec
	Messages []Message // person, model and tool messages alternate as they happened; notes are text for the model
	Tail     string    // the screen: after history, never kept; may be empty
}

// ToolSpec is a definition as bytes.
type ToolSpec struct {
	Name, Description string
	Schema            json.RawMessage
	Deferred          bool // sent, but not usable until a result reveals it: only for a model that says it can
	Reveals           bool // its results reveal deferred tools
}

// Instructions is the whole system text.
func (r Request) Instructions() string {
	return strings.TrimPrefix(strings.TrimSuffix(r.System+"\n\n"+r.Toolsets, "\n\n"), "\n\n")
}

// Chunk is a piece of an answer.
type Chunk struct {
	Text      string // whole characters: valid UTF-8 by itself
	Reasoning string
	Call      *ToolCall // complete; only Tool and Arguments are set, Arguments as the model sent them, valid JSON or not
	Opaque    *Opaque
	Usage     *Usage // of the whole request, at most once
	Stop      Stop   // set on the last chunk
}

// Stop is why a model stopped.
type Stop string

// The reasons to stop.
const (
	StopEnd     Stop = "end"     // it is done, or waits for the results of its calls
	StopLength  Stop = "length"  // its token limit
	StopRefused Stop = "refused" // it declines, or a vendor's filter does
)

// Usage counts the tokens of one or many model calls. CachedInput is part of Input.
type Usage struct{ Input, CachedInput, Output int64 }

// Add sums.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.CachedInput + v.CachedInput, u.Output + v.Output}
}
