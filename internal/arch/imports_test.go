package arch

import (
	"slices"
	"strings"
	"testing"
)

// leaf says whether a package is an internal leaf: it knows nothing of ours.
func leaf(pkg string) bool {
	return strings.HasPrefix(pkg, "internal/") && pkg != "internal/app" && pkg != "internal/arch"
}

// adapter says whether a package adapts one outside thing: an implementation of a seam, a toolset, a transport.
func adapter(pkg string) bool {
	top, rest, _ := strings.Cut(pkg, "/")
	return rest != "" && slices.Contains([]string{"provider", "store", "host", "toolset", "transport"}, top) && !suite(pkg)
}

// suite says whether a package is a contract suite or a kit for tests.
func suite(pkg string) bool { return strings.HasSuffix(pkg, "test") }

// mayImport says whether pkg may import another package of this module.
func mayImport(pkg, other string) bool {
	switch {
	case pkg == "internal/app", pkg == "bench", strings.HasPrefix(pkg, "bench/"):
		return true
	case pkg == "cmd/deputy":
		return other == "." || other == "internal/app"
	case leaf(other):
		return (!leaf(pkg) || other == "internal/near") && pkg != "web" && other != "internal/demo"
	case pkg == "policy":
		return other == "query"
	case pkg == ".":
		return slices.Contains([]string{"query", "policy", "guard", "fault"}, other)
	case pkg == "guard":
		return slices.Contains([]string{"query", "policy", "fault"}, other)
	case adapter(pkg):
		return other == "." || other == "query"
	case suite(pkg):
		return slices.Contains([]string{".", "query", "store/memory", "provider/scripted", "host/hosttest", "toolset/records", "toolset/analysis", "query/querytest"}, other)
	}
	return false
}

// libraries are the third parties that a package may import: its own one thing. A new line here goes with one in docs/dependencies.md.
func libraries(pkg string) []string {
	switch pkg {
	case "query":
		return []string{"github.com/google/cel-go"}
	case "provider/scripted":
		return []string{"github.com/goccy/go-yaml"}
	case "store/sqlite":
		return []string{"modernc.org/sqlite", "github.com/pressly/goose/v3"}
	case "host/sqldb":
		return []string{"modernc.org/sqlite", "github.com/jackc/pgx/v5", "github.com/go-sql-driver/mysql"}
	case "internal/pgtest":
		return []string{"github.com/jackc/pgx/v5"}
	case "internal/mariatest":
		return []string{"github.com/go-sql-driver/mysql"}
	case "transport/api":
		return []string{"github.com/danielgtaylor/huma/v2", "github.com/xuri/excelize/v2"}
	case "internal/rate":
		return []string{"golang.org/x/time"}
	case "internal/terminal":
		return []string{"golang.org/x/term", "golang.org/x/text"}
	case "internal/demo":
		return []string{"modernc.org/sqlite"}
	case "internal/app":
		return []string{"github.com/alecthomas/kong", "github.com/goccy/go-yaml", "github.com/prometheus/client_golang"}
	}
	return nil
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, s := range code(sources(t)) {
		for _, im := range s.ast.Imports {
			p := strings.Trim(im.Path.Value, `"`)
			if why := refuse(s.pkg, p); why != "" {
				t.Errorf("%s: %s may not import %s: %s", s.at(im), s.pkg, p, why)
			}
		}
	}
}

// refuse says why pkg may not import p; empty where it may.
func refuse(pkg, p string) string {
	if p == module || strings.HasPrefix(p, module+"/") {
		other := strings.TrimPrefix(strings.TrimPrefix(p, module), "/")
		if other == "" {
			other = "."
		}
		if !mayImport(pkg, other) {
			return "see the import rules in docs/overview.md"
		}
		return ""
	}
	if host, _, _ := strings.Cut(p, "/"); !strings.Contains(host, ".") {
		return "" // the standard library
	}
	for _, l := range libraries(pkg) {
		if p == l || strings.HasPrefix(p, l+"/") {
			return ""
		}
	}
	return "it is not that package's own one library"
}

func TestTestsOfTheRootAreExternal(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.pkg == "." && s.test && s.ast.Name.Name != "deputy_test" {
			t.Errorf("%s: package %s; tests of the root belong to deputy_test", s.name, s.ast.Name.Name)
		}
	}
}

func TestTheRulesRefuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pkg, imports string
		refused      bool
	}{
		{".", module + "/query", false}, {".", module + "/store/memory", true}, {".", "github.com/google/cel-go/cel", true},
		{".", module + "/policy", false}, {".", module + "/guard", false}, {"guard", module, true}, {"toolset/records", module + "/guard", true}, {"fault", module + "/query", true}, {"policy", module, true}, {"store/memory", module + "/policy", true}, {"internal/schema", module + "/internal/near", false}, {"query", module, true}, {"query", "github.com/google/cel-go/parser", false}, {"store/sqlite", module + "/store/memory", true},
		{"store/sqlite", module, false}, {"toolset/records", module + "/internal/schema", false}, {"internal/schema", module + "/internal/sse", true},
		{"transport/api", module + "/internal/app", true}, {"cmd/deputy", module + "/store/memory", true}, {"cmd/deputy", module + "/internal/app", false},
		{"host/hosttest", module + "/store/memory", false}, {"deputytest", module + "/host/hosttest", false}, {"deputytest", module + "/toolset/kernel", true}, {"web", module, true}, {"toolset/kernel", "github.com/alecthomas/kong", true},
	} {
		if got := refuse(c.pkg, c.imports) != ""; got != c.refused {
			t.Errorf("%s importing %s: refused %v", c.pkg, c.imports, got)
		}
	}
}
