package terminal

import "strings"

// Column is one column of a table.
type Column struct {
	Heading string
	Right   bool // its cells end together: numbers
}

// The widths of columns where there is not room for all of them as they are.
const (
	narrow = 10 // a column has at least so many, if it needs them
	gap    = 2  // between two
)

// Table draws rows in lines of at most so many columns; 0: as long as they are. Cells are shown by Exact, and cut where they must be; those to the
// right are not, while there is another column. How many of the columns had room, from the left, is told too; one always has.
func Table(cols []Column, rows [][]string, most int) (lines []string, shown int) {
	texts := make([][]string, 0, len(rows)+1)
	heads := make([]string, len(cols))
	for i, c := range cols {
		heads[i] = Exact(c.Heading)
	}
	texts = append(texts, heads)
	for _, row := range rows {
		cells := make([]string, len(cols))
		for i := range cols {
			cells[i] = Exact(row[i])
		}
		texts = append(texts, cells)
	}
	widths := fit(cols, widest(texts, len(cols)), most)
	for i, cells := range texts {
		lines = append(lines, line(cols, cells, widths))
		if i == 0 {
			rules := make([]string, len(widths))
			for j, w := range widths {
				rules[j] = strings.Repeat("─", w)
			}
			lines = append(lines, strings.Join(rules, strings.Repeat(" ", gap)))
		}
	}
	return lines, len(widths)
}

func widest(texts [][]string, n int) []int {
	out := make([]int, n)
	for _, cells := range texts {
		for i, c := range cells {
			out[i] = max(out[i], Width(c))
		}
	}
	return out
}

// fit takes columns away until all have their least, then takes from the widest until they fit. A number is whole: a part of it is another.
func fit(cols []Column, widths []int, most int) []int {
	if most <= 0 {
		return widths
	}
	least := func(i int) int {
		if cols[i].Right {
			return widths[i]
		}
		return min(widths[i], narrow)
	}
	total, needed := -gap, -gap
	for i, w := range widths {
		total, needed = total+gap+w, needed+gap+least(i)
	}
	for last := len(widths) - 1; last > 0 && needed > most; last-- {
		total, needed = total-gap-widths[last], needed-gap-least(last)
		widths = widths[:last]
	}
	for ; total > most; total-- {
		at := 0
		for i, w := range widths {
			if !cols[i].Right && (w > widths[at] || cols[at].Right) {
				at = i
			}
		}
		if widths[at] <= 1 {
			break
		}
		widths[at]--
	}
	return widths
}

func line(cols []Column, cells []string, widths []int) string {
	var b strings.Builder
	for i, w := range widths {
		text := Cut(cells[i], w)
		pad := strings.Repeat(" ", max(0, w-Width(text)))
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		if cols[i].Right {
			b.WriteString(pad + text)
		} else {
			b.WriteString(text + pad)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Bar is one bar of a chart.
type Bar struct {
	Label, Value string
	Length       float64 // from 0 up
}

// Bars draws bars in lines of at most so many columns. The longest takes what room there is.
func Bars(bars []Bar, most int) []string {
	labels, values, longest := 0, 0, 0.0
	for _, b := range bars {
		labels = max(labels, Width(Exact(b.Label)))
		values = max(values, Width(Exact(b.Value)))
		longest = max(longest, b.Length)
	}
	labels, values = min(labels, max(narrow, most/3)), min(values, max(narrow, most/3))
	room := max(1, min(60, most-labels-values-2*gap))
	var out []string
	for _, b := range bars {
		label, value := Cut(Exact(b.Label), labels), Cut(Exact(b.Value), values)
		n := 0
		if longest > 0 {
			n = int(b.Length/longest*float64(room) + 0.5)
		}
		out = append(out, label+strings.Repeat(" ", labels-Width(label)+gap)+strings.Repeat("█", n)+strings.Repeat(" ", room-n+gap)+
			strings.Repeat(" ", values-Width(value))+value)
	}
	return out
}
