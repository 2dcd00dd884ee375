package toolsets

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/deputy"
)

// definition is a tool as somebody else defined it.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
}

// tool is a definition as a tool that answers nothing.
func (d definition) tool() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{Name: d.Name, Description: d.Description, Schema: d.Schema, NoHost: true},
		func(context.Context, *deputy.Scope, json.RawMessage) (deputy.Result, error) {
			return deputy.Result{Value: map[string]bool{"ok": true}}, nil
		})
}

// group is a toolset, by words that stand in the names of its tools.
type group struct{ name, description, words string }

// groups are what the tools of a code host act on. A tool belongs to the first group of which its name has a word.
func groups() []group {
	return []group{
		{"actions", "Workflows, runs, jobs, logs", "actions job_logs"},
		{"discussions", "Discussions and their comments", "discussion"},
		{"gists", "Gists", "gist"},
		{"notifications", "Notifications and subscriptions", "notification"},
		{"security", "Alerts and advisories", "alert advisor code_quality"},
		{"projects", "Project boards", "projects"},
		{"pull_requests", "Pull requests, reviews, merges", "pull_request review pending"},
		{"issues", "Issues, sub-issues, labels", "issue label duplicate"},
		{"stars", "Starred repositories", "star"},
		{"people", "Users, teams, organizations", "get_me team users orgs collaborators"},
		{"repositories", "Repositories, files, branches, commits, releases", "repositor file branch commit tag release code ui_"},
	}
}

// github is a server's tools, grouped by what they act on.
func github(folder string) ([]deputy.Toolset, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.snap"))
	if err != nil {
		return nil, err
	}
	tools := map[string][]deputy.Tool{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var d definition
		if err := json.Unmarshal(raw, &d); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		file := strings.TrimSuffix(filepath.Base(f), ".snap")
		d.Name = file // some files are variants of one tool
		i := slices.IndexFunc(groups(), func(g group) bool {
			return slices.ContainsFunc(strings.Fields(g.words), func(w string) bool { return strings.Contains(file, w) })
		})
		if i < 0 {
			return nil, fmt.Errorf("%s belongs to no group", d.Name)
		}
		tools[groups()[i].name] = append(tools[groups()[i].name], d.tool())
	}
	var out []deputy.Toolset
	for _, g := range groups() {
		out = append(out, deputy.Toolset{Name: g.name, Description: g.description, Tools: tools[g.name]})
	}
	return out, nil
}
