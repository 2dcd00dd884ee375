// Package questions asks what people ask of their data, over three samples and every database that a host can be. It has tests only: each
// question stands in testdata beside the call of a tool that answers it and the statement, written by hand, that says what is right.
package questions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// question is one entry of a file in testdata:
//
//	? Which countries do customers come from?
//	distinct, group
//	analyze_records {"table":"customers","group_by":["country"]}
//	SELECT DISTINCT country FROM customers ORDER BY country
//
// The second line names the rows of the ladder that it is of; then the tool with its arguments; then the statement, in the dialect of Postgres,
// whose numbers are exact. Entries are parted by empty lines. A line "children NAME" within the statement begins another one, for the
// children that come along.
type question struct {
	at, text  string
	ladder    []string
	zone      string // of who asks; empty: UTC
	tool      string
	arguments string
	truth     string
	children  map[string]string
}

// ladder names what can be asked, from the plainest up.
func ladder() []string {
	return []string{"one table", "aggregates", "group", "having", "order by aggregate", "parents by path", "has children", "has no children", "and or not",
		"distinct", "superlative", "period", "zone", "filtered measure", "ratio", "percentage", "growth", "arithmetic inside", "child count", "all rows",
		"two foreign keys", "self-reference", "children of children", "null group", "label"}
}

// questions are the entries of the files that a sample has.
func questions(t *testing.T, sample string) (out []question) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + sample + "_*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no questions over ", sample, ": ", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := 1
		for block := range strings.SplitSeq(string(raw), "\n\n") {
			if text := strings.Trim(block, "\n"); text != "" && !strings.HasPrefix(text, "#") {
				q, err := parse(text)
				q.at = fmt.Sprintf("%s:%d", file, line)
				if err != nil {
					t.Fatalf("%s: %v", q.at, err)
				}
				out = append(out, q)
			}
			line += strings.Count(block, "\n") + 2
		}
	}
	return out
}

func parse(block string) (q question, err error) {
	lines := strings.Split(block, "\n")
	if len(lines) < 4 || !strings.HasPrefix(lines[0], "? ") {
		return q, fmt.Errorf("not a question, its rows, a call and a statement: %q", block)
	}
	q.text = lines[0][2:]
	for word := range strings.SplitSeq(lines[1], ", ") {
		if zone, ok := strings.CutPrefix(word, "zone "); ok {
			q.zone, word = zone, "zone"
		}
		if !slices.Contains(ladder(), word) {
			return q, fmt.Errorf("no row of the ladder is %q", word)
		}
		q.ladder = append(q.ladder, word)
	}
	rest := lines[2:]
	at := slices.IndexFunc(rest, func(l string) bool { return strings.HasPrefix(l, "SELECT ") || strings.HasPrefix(l, "WITH ") })
	if at < 1 {
		return q, fmt.Errorf("no call and statement: %q", block)
	}
	q.tool, q.arguments, _ = strings.Cut(strings.Join(rest[:at], "\n"), " ")
	q.truth, q.children = statements(rest[at:])
	return q, nil
}

func statements(lines []string) (truth string, children map[string]string) {
	children = map[string]string{}
	name := ""
	for _, l := range lines {
		if next, ok := strings.CutPrefix(l, "children "); ok {
			name = next
			continue
		}
		if name == "" {
			truth += l + "\n"
		} else {
			children[name] += l + "\n"
		}
	}
	return truth, children
}

// TestLadder: there are enough questions, enough of every row of the ladder, and none twice.
func TestLadder(t *testing.T) {
	t.Parallel()
	seen, tools, rows, places := map[string]string{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, sample := range []string{"demo", "chinook", "league"} {
		for _, q := range questions(t, sample) {
			places[sample]++
			tools[q.tool]++
			for _, key := range []string{q.text, q.tool + q.arguments + sample} {
				if seen[key] != "" {
					t.Errorf("%s asks what %s asks", q.at, seen[key])
				}
				seen[key] = q.at
			}
			for _, row := range q.ladder {
				rows[row]++
			}
		}
	}
	t.Log(places, tools, rows)
	if places["demo"] < 50 || places["demo"]+places["chinook"] < 120 {
		t.Errorf("too few questions: %v", places)
	}
	for _, row := range ladder() {
		if rows[row] < 5 {
			t.Errorf("%s: %d questions", row, rows[row])
		}
	}
	for _, tool := range []string{"query_records", "count_records", "analyze_records", "search_records", "get_record", "list_possible_values"} {
		if tools[tool] < 3 {
			t.Errorf("%s answers %d questions", tool, tools[tool])
		}
	}
}
