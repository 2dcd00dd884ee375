// Package app makes a running Deputy of a configuration file: the file's keys, the one list of parts that the binary has, the command line
// and the server.
package app

import (
	"example.com/deputy"
)

// Config is the configuration file. Its json tags are the keys, its doc tags their description in the JSON Schema; a field of type notYet is
// a key whose feature is not built, which is refused rather than ignored.
type Config struct {
	Listen    string                  `json:"listen,omitempty" doc:"address to listen on, host:port; 127.0.0.1:8080 if absent"`
	PublicURL string                  `json:"public_url,omitempty" doc:"the URL people use to reach Deputy; its host is the only foreign one accepted"`
	Store     string                  `json:"store,omitempty" doc:"Deputy's own data: memory: or sqlite:PATH; sqlite:deputy.db if absent"`
	Zone      string                  `json:"zone,omitempty" doc:"default time zone of people and of naive timestamps, such as Europe/Oslo; UTC if absent"`
	Assistant AssistantConfig         `json:"assistant,omitempty" doc:"what the assistant is called and told"`
	Host      HostConfig              `json:"host" doc:"the business application"`
	Models    []ModelConfig           `json:"models,omitempty" doc:"the first is used; the next if it fails before any text; none: the built-in offline model"`
	Auth      AuthConfig              `json:"auth,omitempty" doc:"who may come in"`
	Policy    PolicyConfig            `json:"policy,omitempty" doc:"what they may do; no policy, nothing"`
	Limits    LimitsConfig            `json:"limits,omitempty" doc:"bounds of a turn"`
	Budgets   BudgetsConfig           `json:"budgets,omitempty" doc:"bounds of a person"`
	Metrics   string                  `json:"metrics,omitempty" doc:"address of a second listener that tells Prometheus metrics at /metrics, host:port; loopback where the host is absent; no listener if absent"`
	Log       LogConfig               `json:"log,omitempty" doc:"the server's log, on standard error"`
	Classes   notYet                  `json:"classes,omitempty"`
	Channels  notYet                  `json:"channels,omitempty"`
	Actions   map[string]ActionConfig `json:"actions,omitempty" doc:"by name: changes that the business has names for; a role is given them by its actions"`
	Toolsets  ToolsetsConfig          `json:"toolsets,omitempty" doc:"groups of tools that are activated in a conversation"`
}

// AssistantConfig is the assistant itself.
type AssistantConfig struct {
	Name         string `json:"name,omitempty" doc:"Deputy if absent"`
	Instructions string `json:"instructions,omitempty" doc:"added to the built-in system text"`
}

// HostConfig is the business application.
type HostConfig struct {
	Database  string                  `json:"database" doc:"sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE"`
	Schemas   []string                `json:"schemas,omitempty" doc:"of a Postgres database; public if absent"`
	Tables    map[string]TableConfig  `json:"tables,omitempty" doc:"by offered name; what the schema itself does not say"`
	Relations []RelationConfig        `json:"relations,omitempty" doc:"relations that the schema does not declare"`
	Pages     map[string]string       `json:"pages,omitempty" doc:"targets of navigate: table to path, {id} stands for the record"`
	AsPerson  notYet                  `json:"as_person,omitempty"`
	Widgets   map[string]WidgetConfig `json:"widgets,omitempty" doc:"questions that render_widget asks, by name; see query and analyze"`
}

// TableConfig adds to one table.
type TableConfig struct {
	Label       string                 `json:"label,omitempty" doc:"for people"`
	RecordLabel string                 `json:"record_label,omitempty" doc:"an expression that names a record for people"`
	Version     string                 `json:"version,omitempty" doc:"the field that changes with every write"`
	Hidden      bool                   `json:"hidden,omitempty" doc:"true: the table is not there for anybody"`
	Fields      map[string]FieldConfig `json:"fields,omitempty" doc:"by offered name"`
	Search      []string               `json:"search,omitempty" doc:"fields that search_records looks in; if absent, those of record_label and texts that are unique; [] for none"`
	Class       notYet                 `json:"class,omitempty"`
}

// FieldConfig adds to one field.
type FieldConfig struct {
	Label string `json:"label,omitempty" doc:"for people"`
	Zone  string `json:"zone,omitempty" doc:"time zone of naive timestamps in this field"`
	Class notYet `json:"class,omitempty"`
}

// RelationConfig declares a relation that is no foreign key.
type RelationConfig struct {
	From     string `json:"from" doc:"table.field of the child"`
	To       string `json:"to" doc:"table.field of the parent"`
	Name     string `json:"name,omitempty" doc:"what the child calls its parent"`
	Children string `json:"children,omitempty" doc:"what the parent calls its children"`
}

// ModelConfig is one model.
type ModelConfig struct {
	Name          string      `json:"name" doc:"your own name for it"`
	Provider      string      `json:"provider" doc:"openai, anthropic, offline or scripted" enum:"openai,anthropic,offline,scripted" later:"bedrock,vertex"`
	API           string      `json:"api,omitempty" doc:"openai only: chat (also LiteLLM, Ollama, vLLM…) or responses; chat if absent" enum:"chat,responses"`
	Model         string      `json:"model,omitempty" doc:"the vendor's name for it"`
	BaseURL       string      `json:"base_url,omitempty" doc:"the vendor's own if absent"`
	APIKey        string      `json:"api_key,omitempty" doc:"best as ${NAME}"`
	Price         PriceConfig `json:"price,omitempty" doc:"per million tokens"`
	Scenario      string      `json:"scenario,omitempty" doc:"scripted only: the scenario file"`
	Cleared       notYet      `json:"cleared,omitempty"`
	StrictTools   *bool       `json:"strict_tools,omitempty" doc:"hold the model to the schemas of tools; if absent, true at the vendor's own address"`
	DeferredTools *bool       `json:"deferred_tools,omitempty" doc:"anthropic, and openai with api: responses: send the tools of toolsets deferred; if absent, true for models known to take them, at the vendor's own address"`
	MaxTokens     int         `json:"max_tokens,omitempty" doc:"anthropic only: how long an answer may be, thinking included; 16384 if absent, less where the model cannot do that"`
}

// PriceConfig is per million tokens.
type PriceConfig struct {
	Input       Decimal `json:"input,omitempty"`
	CachedInput Decimal `json:"cached_input,omitempty"`
	Output      Decimal `json:"output,omitempty"`
}

// AuthConfig is who may come in.
type AuthConfig struct {
	Tokens []TokenConfig `json:"tokens,omitempty" doc:"static bearer tokens"`
	OIDC   notYet        `json:"oidc,omitempty"`
}

// TokenConfig is one static bearer token and whose it is.
type TokenConfig struct {
	Token      string            `json:"token" doc:"best as ${NAME}"`
	ID         string            `json:"id" doc:"person.id in a rule"`
	Name       string            `json:"name,omitempty" doc:"for people; the id if absent"`
	Roles      []string          `json:"roles,omitempty" doc:"of policy.roles"`
	Attributes map[string]string `json:"attributes,omitempty" doc:"person.attributes.x in a rule"`
	Channels   []string          `json:"channels,omitempty" doc:"[chat] if absent" enum:"chat" later:"agui,a2a,mcp,embedded"`
	Confirm    *bool             `json:"confirm,omitempty" doc:"whether it may decide proposals; true if absent"`
}

// PolicyConfig is what the operator allows.
type PolicyConfig struct {
	Roles map[string]RoleConfig `json:"roles,omitempty" doc:"roles are united per verb; hide in any of them wins"`
}

// RoleConfig is what one role may do.
type RoleConfig struct {
	Tools   []string                `json:"tools,omitempty" doc:"names or patterns with *"`
	Tables  map[string]AccessConfig `json:"tables,omitempty" doc:"by offered name; * is every base table without an entry of its own"`
	Hide    []string                `json:"hide,omitempty" doc:"table.field, hidden whatever else is granted"`
	Audit   string                  `json:"audit,omitempty" doc:"all: sees everybody's rows of the tool-call log" enum:"all"`
	Operate bool                    `json:"operate,omitempty" doc:"may throw the kill switch"`
	Actions []string                `json:"actions,omitempty" doc:"names of actions; tools names none, not even *"`
}

// AccessConfig is what a role may do to one table.
type AccessConfig struct {
	Read      FieldList `json:"read,omitempty" doc:"true, false or a list of fields"`
	Create    FieldList `json:"create,omitempty" doc:"true, false or a list of fields"`
	Update    FieldList `json:"update,omitempty" doc:"true, false or a list of fields"`
	Delete    bool      `json:"delete,omitempty"`
	Rows      string    `json:"rows,omitempty" doc:"a condition: which records may be read, and written to; absent: all"`
	WriteRows string    `json:"write_rows,omitempty" doc:"a condition: which records may result from a write; rows if absent"`
}

// LogConfig is the server's log. It has neither data nor credentials at any level.
type LogConfig struct {
	Format string `json:"format,omitempty" doc:"text if absent" enum:"text,json"`
	Level  string `json:"level,omitempty" doc:"the least that is written; info if absent (deputy demo: warn)" enum:"debug,info,warn,error"`
}

// LimitsConfig bounds a turn; what is absent has the default.
type LimitsConfig struct {
	Steps          int      `json:"steps,omitempty" doc:"model calls a turn; 20 if absent"`
	ToolCalls      int      `json:"tool_calls,omitempty" doc:"a turn; 40 if absent"`
	Parallel       int      `json:"parallel,omitempty" doc:"tool calls at once; 8 if absent"`
	ToolTimeout    Duration `json:"tool_timeout,omitempty" doc:"30s if absent"`
	TurnTimeout    Duration `json:"turn_timeout,omitempty" doc:"5m if absent"`
	ResultRows     int      `json:"result_rows,omitempty" doc:"given to the model; 100 if absent"`
	ResultBytes    Bytes    `json:"result_bytes,omitempty" doc:"given to the model; 32KiB if absent"`
	HandleRows     int      `json:"handle_rows,omitempty" doc:"that a call id stands for; 1000 if absent"`
	ProposalExpiry Duration `json:"proposal_expiry,omitempty" doc:"24h if absent"`
	Shutdown       Duration `json:"shutdown,omitempty" doc:"that steps under way have to end in when the server is stopped; 20s if absent"`
}

// ToolsetsConfig is about groups of tools.
type ToolsetsConfig struct {
	Idle Duration  `json:"idle,omitempty" doc:"without use, after which a toolset is inactive again; 10m if absent"`
	Core *[]string `json:"core,omitempty" doc:"toolsets that are always offered, beside records, present and kernel; [analysis] if absent"`
	Max  int       `json:"max,omitempty" doc:"toolsets that a model is told of; 50 if absent"`
}

// core are the toolsets that are always offered.
func (c *Config) core() []string {
	core := []string{"records", "present", "kernel"}
	if c.Toolsets.Core == nil {
		return append(core, "analysis")
	}
	return append(core, *c.Toolsets.Core...)
}

// BudgetsConfig bounds a person.
type BudgetsConfig struct {
	Rate         RateConfig `json:"rate,omitempty"`
	PerPersonDay notYet     `json:"per_person_day,omitempty"`
}

// RateConfig bounds how often a person may ask.
type RateConfig struct {
	TurnsPerMinute int `json:"turns_per_minute,omitempty" doc:"20 if absent"`
}

// limits are the engine's.
func (c *Config) limits() deputy.Limits {
	l := c.Limits
	return deputy.Limits{
		Steps: l.Steps, ToolCalls: l.ToolCalls, Parallel: l.Parallel,
		ToolTimeout: l.ToolTimeout.std(), TurnTimeout: l.TurnTimeout.std(), ProposalExpiry: l.ProposalExpiry.std(),
		ResultRows: l.ResultRows, ResultBytes: int(l.ResultBytes), HandleRows: l.HandleRows,
		TurnsPerMinute: c.Budgets.Rate.TurnsPerMinute, Shutdown: l.Shutdown.std(),
		ToolsetIdle: c.Toolsets.Idle.std(), Toolsets: c.Toolsets.Max,
	}
}

// policy is the engine's.
func (c *Config) policy() deputy.Policy {
	p := deputy.Policy{Roles: map[string]deputy.Role{}}
	for name, r := range c.Policy.Roles {
		role := deputy.Role{Tools: r.Tools, Actions: r.Actions, Hide: r.Hide, Audit: r.Audit == "all", Operate: r.Operate, Tables: map[string]deputy.Access{}}
		for table, a := range r.Tables {
			role.Tables[table] = deputy.Access{
				Read: deputy.Fields(a.Read), Create: deputy.Fields(a.Create), Update: deputy.Fields(a.Update),
				Delete: a.Delete, Rows: a.Rows, WriteRows: a.WriteRows,
			}
		}
		p.Roles[name] = role
	}
	return p
}
