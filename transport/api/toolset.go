package api

import (
	"context"

	"example.com/deputy"
)

type toolsetJSON struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Active      bool     `json:"active"`
	Tools       []string `json:"tools" doc:"Those of its tools that you may use"`
}

func toolset(t deputy.ToolsetState) toolsetJSON {
	return toolsetJSON{t.Name, t.Description, t.Active, t.Tools}
}

type listToolsetsInput struct {
	Conversation string `query:"conversation" doc:"Without one, all are inactive" maxLength:"100"`
}

func (s *server) listToolsets(ctx context.Context, who deputy.Caller, in *listToolsetsInput) (*listOutput[toolsetJSON], error) {
	sets, err := s.door.Toolsets(ctx, who, in.Conversation)
	return page(sets, len(sets), func(deputy.ToolsetState) int64 { return 0 }, toolset), err
}

type putToolsetInput struct {
	ID   string `path:"id"`
	Name string `path:"name"`
	Body struct {
		Active bool `json:"active"`
	}
}

type toolsetOutput struct{ Body toolsetJSON }

func (s *server) putToolset(ctx context.Context, who deputy.Caller, in *putToolsetInput) (*toolsetOutput, error) {
	sets, err := s.door.SwitchToolset(ctx, who, in.ID, in.Name, in.Body.Active)
	for _, t := range sets {
		if t.Name == in.Name {
			return &toolsetOutput{toolset(t)}, err
		}
	}
	return nil, err
}
