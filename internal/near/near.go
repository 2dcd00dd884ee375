// Package near finds the names that a mistyped one may mean.
package near

import (
	"fmt"
	"strings"
)

// Names are those of a list that a mistyped name may mean, at most three, nearest first: the same but for case, underscores, dashes and
// spaces; a slip or two away; or beginning alike. None where nothing is near.
func Names(name string, list []string) []string {
	name = plain(name)
	most := 2
	if len(name) < 4 {
		most = 1
	}
	var ranked [4][]string
	for _, other := range list {
		like := plain(other)
		d := distance(name, like)
		begins := len(name) > 2 && strings.HasPrefix(like, name) || len(like) > 2 && strings.HasPrefix(name, like)
		switch {
		case d <= most:
			ranked[d] = append(ranked[d], other)
		case begins:
			ranked[3] = append(ranked[3], other)
		}
	}
	var out []string
	for _, names := range ranked {
		out = append(out, names...)
	}
	return out[:min(len(out), 3)]
}

// Hint is what an error says of them: "; near: customers, costs". Empty where nothing is near.
func Hint(name string, list []string) string {
	names := Names(name, list)
	if len(names) == 0 {
		return ""
	}
	return "; near: " + strings.Join(names, ", ")
}

// maxNamed bounds how many names HintOrAll tells.
const maxNamed = 20

// HintOrAll is Hint, or where nothing is near the first of the list, behind a lead: "; there are customers, costs". Empty where the list is.
func HintOrAll(name string, list []string, lead string) string {
	if hint := Hint(name, list); hint != "" || len(list) == 0 {
		return hint
	}
	if more := len(list) - maxNamed; more > 0 {
		return lead + strings.Join(list[:maxNamed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return lead + strings.Join(list, ", ")
}

func plain(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that make one name of the other; names that are far apart in
// length are far apart.
func distance(a, b string) int {
	if len(a)-len(b) > 3 || len(b)-len(a) > 3 || len(a) > 200 {
		return 9
	}
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
