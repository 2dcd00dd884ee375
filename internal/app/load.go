package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"
)

// A configuration is small: what is larger or deeper is a mistake.
const (
	maxConfigBytes = 1 << 20
	maxConfigDepth = 100
)

// Inside a flow mapping YAML gives braces a meaning of their own, so `{ token: ${NAME} }` would not parse. The braces of ${NAME} are
// exchanged for two private characters, one for one, before the file is parsed; that keeps every line and column.
const (
	openBrace  = '\uE000'
	closeBrace = '\uE001'
)

// The two forms of a reference to the environment: as it is written, and as the parser sees it.
var (
	writtenReference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	hiddenReference  = regexp.MustCompile(`\$` + string(openBrace) + `([A-Za-z0-9_]+)` + string(closeBrace))
)

// load reads a configuration file. Its error is Mistakes: all of them. A document that could be read as YAML comes along with them.
func load(path string) (*document, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, Mistakes{{File: path, Text: "cannot be read: " + reason(err) + "; name the configuration with --config"}}
	}
	return parse(path, bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), os.LookupEnv) // some editors begin a file with a mark of its encoding
}

// parse reads a configuration from a text; env answers for ${NAME}.
func parse(file string, text []byte, env func(string) (string, bool)) (*document, error) {
	d := &document{file: file, keys: map[string]position{}, values: map[string]position{}, env: env}
	body, err := parseYAML(text)
	if err != nil {
		m := Mistake{File: file, Text: err.Error()}
		if y := yaml.Error(nil); errors.As(err, &y) {
			m.Text = y.GetMessage()
			if t := y.GetToken(); t != nil && t.Position != nil {
				m.at = position{t.Position.Line, t.Position.Column}
				m.Text += mendYAML(text, m.at.line)
			}
		}
		return nil, Mistakes{m}
	}
	if _, ok := body.(ast.MapNode); !ok {
		return nil, Mistakes{{File: file, at: place(body), Text: "write a mapping here: one line `name: value` for each entry"}}
	}
	d.structure(body, reflect.ValueOf(&d.Config).Elem(), "")
	d.validate()
	return d, d.mistakes.err()
}

// What is often wrong where YAML cannot be read: the value of a key that holds an expression or a reference, and one that is quoted whole.
var (
	needsQuotes = regexp.MustCompile(`\b(rows|write_rows|record_label|when|where):\s+(\S.*)|([A-Za-z_]+):\s+([^'"{\[,]*\$\{.*)`)
	quotedWhole = regexp.MustCompile(`^('([^']|'')*'|"([^"\\]|\\.)*")\s*($|[,}\]#])`)
)

// mendYAML says how to mend a line that is no YAML, where its text or that of the line before tells; empty where not.
func mendYAML(text []byte, line int) string {
	lines := strings.Split(string(text), "\n")
	for i := line; i >= max(1, line-1) && i <= len(lines); i-- {
		now := lines[i-1]
		if indent := now[:len(now)-len(strings.TrimLeft(now, " \t"))]; strings.Contains(indent, "\t") {
			return "; indent with blanks, not tabs"
		}
		m := needsQuotes.FindStringSubmatch(now)
		if m == nil || quotedWhole.MatchString(m[2]+m[4]) {
			continue
		}
		if strings.Contains(m[2]+m[4], "'") {
			return "; quote the value: " + m[1] + m[3] + `: "…", with \" for each " in it`
		}
		return "; quote the value: " + m[1] + m[3] + ": '…'"
	}
	return ""
}

// parseYAML gives the one mapping that a configuration is.
func parseYAML(text []byte) (body ast.Node, err error) {
	if len(text) > maxConfigBytes || depth(text) > maxConfigDepth {
		return nil, errors.New("too large or too deep for a configuration")
	}
	if strings.ContainsAny(string(text), string(openBrace)+string(closeBrace)) {
		return nil, errors.New("the characters U+E000 and U+E001 may not be used")
	}
	defer func() {
		if p := recover(); p != nil {
			body, err = nil, fmt.Errorf("this is no YAML: %v", p)
		}
	}()
	hidden := writtenReference.ReplaceAllString(string(text), "$$"+string(openBrace)+"${1}"+string(closeBrace))
	f, err := yamlparser.ParseBytes([]byte(hidden), 0)
	if err != nil {
		return nil, err
	}
	for _, doc := range f.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, errors.New("more than one document: write one")
		}
		body = doc.Body
	}
	if body == nil {
		return nil, errors.New("the file is empty: `host: { database: sqlite:PATH }` is the least it needs")
	}
	return body, nil
}

// depth is how deeply brackets are nested, at most.
func depth(text []byte) int {
	now, most := 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			now++
		case ']', '}':
			now = max(0, now-1)
		}
		most = max(most, now)
	}
	return most
}

// expand replaces every ${NAME}. A variable that is not set is an error: an empty secret is worse than no start.
func expand(text string, env func(string) (string, bool)) (string, error) {
	var err error
	out := hiddenReference.ReplaceAllStringFunc(text, func(ref string) string {
		name := hiddenReference.FindStringSubmatch(ref)[1]
		v, ok := env(name)
		if !ok {
			err = fmt.Errorf("environment variable %s is not set: set it, or write the value here", name)
		}
		return v
	})
	return out, err
}

// reason is the last part of a file system's error.
func reason(err error) string {
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
