package schema

import "strings"

// Near is the one of names that was probably meant by s: the same but for case and underscores, else the one that fewest changes of a
// letter lead to, at most a third of its length. Empty where there is none.
func Near(s string, names []string) string {
	best, least := "", len(s)/3+1
	if len(s) > 100 {
		return ""
	}
	for _, n := range names {
		if plain(n) == plain(s) {
			return n
		}
		if d := distance(plain(s), plain(n)); d < least {
			best, least = n, d
		}
	}
	return best
}

func plain(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
}

// distance is how many letters must be added, dropped, changed or swapped with their neighbour.
func distance(a, b string) int {
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(one[j]+cost, one[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], two[j-1]+1)
			}
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}
