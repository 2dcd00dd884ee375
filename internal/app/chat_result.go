package app

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/terminal"
	"example.com/deputy/query"
)

// view is what the display tools say of how something is shown.
type view struct {
	View    string          `json:"view"`
	Title   string          `json:"title"`
	X       string          `json:"x"`
	Y       []string        `json:"y"`
	Columns []query.Heading `json:"columns"`
	Note    string          `json:"note"`
	Label   string          `json:"label"`
	Link    string          `json:"link"`
}

// found is a result that is being shown.
type found struct {
	view
	headings  []query.Heading
	shown     []pair
	rows      [][]query.Value
	truncated bool
}

// pair is a column that is shown, and the one with its label; -1 where there is none.
type pair struct{ at, label int }

// show draws what a display tool has shown, as well as text can.
func (c *chat) show(s deputy.Shows) error {
	var v view
	if err := json.Unmarshal(s.View, &v); err != nil {
		return fmt.Errorf("display: %w", err)
	}
	if v.Link != "" {
		c.begin("link")
		c.write(strings.TrimSpace(terminal.Exact(v.Label)+"  "+terminal.Exact(v.Link)) + "\n")
		return nil
	}
	if s.Call == "" {
		return nil
	}
	c.last = &s
	switch v.View {
	case "bar", "pie":
		if c.console != nil {
			return c.chart(s, v)
		}
	case "number", "record", "list":
		return c.inText(s, v)
	}
	return c.table(s, false)
}

// read reads the rows behind a display again, with the rights of now.
func (c *chat) read(s deputy.Shows, v view) (found, error) {
	page, err := c.door.Result(c.ctx, c.who, s.Call, 0, math.MaxInt32)
	if err != nil {
		return found{}, err
	}
	f := found{view: v, headings: query.Headings(page.Rows.Columns), rows: page.Rows.Rows, truncated: page.Truncated}
	wanted := f.names(v.Columns)
	if len(wanted) == 0 {
		wanted = f.names(f.headings)
	}
	for _, n := range wanted {
		if id, ok := strings.CutSuffix(n, ".label"); ok && slices.Contains(wanted, id) {
			continue // it stands with the id that it names
		}
		f.shown = append(f.shown, pair{f.index(n), f.index(n + ".label")})
	}
	return f, nil
}

// names are those of headings that the result has, today.
func (f found) names(hs []query.Heading) (out []string) {
	for _, h := range hs {
		if f.index(h.Name) >= 0 {
			out = append(out, h.Name)
		}
	}
	return out
}

func (f found) index(name string) int {
	return slices.IndexFunc(f.headings, func(h query.Heading) bool { return h.Name == name })
}

func (f found) heading(at int) string { return orText(f.headings[at].Label, f.headings[at].Name) }

// cell is a value with its label.
func (c *chat) cell(f found, p pair, row []query.Value) string {
	text := c.value(row[p.at])
	if p.label >= 0 && row[p.label] != nil {
		return c.value(row[p.label]) + " " + text
	}
	return text
}

// value is one value in words: for people at a terminal; as it is in exports where it goes on through a pipe.
func (c *chat) value(v query.Value) string {
	person := c.console != nil
	switch x := v.(type) {
	case nil:
		if person {
			return "–"
		}
		return ""
	case time.Time:
		if person {
			return x.In(c.zone).Format("2 Jan 2006, 15:04")
		}
	case bool:
		return map[bool]string{true: "yes", false: "no"}[x]
	case query.Decimal:
		if person {
			return grouped(string(x))
		}
	}
	switch x := query.Cell(v, c.zone).(type) {
	case string:
		return x
	case json.RawMessage:
		return string(x)
	default:
		b, err := json.Marshal(x)
		if err != nil {
			return ""
		}
		return string(b)
	}
}

var thousands = regexp.MustCompile(`^(-?)(\d{4,})(\.\d+)?$`)

// grouped puts commas between the thousands of a decimal; a whole number may be an id and has none.
func grouped(text string) string {
	m := thousands.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	whole := m[2]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return m[1] + whole + m[3]
}

func isNumber(h query.Heading) bool { return h.Type == query.Int || h.Type == query.Dec }

// mostRows is how many rows are shown at once where a person has to scroll past them.
const mostRows = 40

// table draws rows in columns: at a terminal the first ones, in its width; whole where all are asked for, and in a pipe.
func (c *chat) table(s deputy.Shows, all bool) error {
	var v view
	if err := json.Unmarshal(s.View, &v); err != nil {
		return fmt.Errorf("display: %w", err)
	}
	f, err := c.read(s, v)
	if err != nil {
		return err
	}
	rows := f.rows
	if c.console != nil && !all {
		rows = rows[:min(len(rows), mostRows)]
	}
	var cols []terminal.Column
	for _, p := range f.shown {
		cols = append(cols, terminal.Column{Heading: f.heading(p.at), Right: isNumber(f.headings[p.at]) && p.label < 0})
	}
	texts := make([][]string, len(rows))
	for i, row := range rows {
		for _, p := range f.shown {
			texts[i] = append(texts[i], c.cell(f, p, row))
		}
	}
	lines, fit := terminal.Table(cols, texts, c.room())
	if c.console == nil && len(lines) > 1 {
		lines = slices.Delete(lines, 1, 2) // the rule is for the eye
	}
	c.frame(f, lines, c.foot(f, len(rows), fit))
	return nil
}

// foot says which rows and columns these are, and of how many.
func (c *chat) foot(f found, rows, fit int) string {
	if c.console == nil {
		return map[bool]string{true: "The result is cut here: there are more rows."}[f.truncated]
	}
	foot := counted(rows, "row")
	if rows < len(f.rows) {
		foot = fmt.Sprintf("The first %d of %d rows; /rows shows all of them", rows, len(f.rows))
	}
	if f.truncated {
		foot += "; the result is cut, there are more"
	}
	if fit < len(f.shown) {
		var names []string
		for _, p := range f.shown[fit:] {
			names = append(names, f.heading(p.at))
		}
		foot += fmt.Sprintf("; no room for %s: %s", counted(len(names), "column"), strings.Join(names, ", "))
	}
	return foot
}

// frame puts title, note and foot around what is drawn.
func (c *chat) frame(f found, lines []string, foot string) {
	c.begin("rows")
	if f.Title != "" {
		c.paragraph(terminal.Bold, f.Title)
	}
	c.write(strings.Join(lines, "\n") + "\n")
	for _, text := range []string{f.Note, foot} {
		if text != "" {
			c.paragraph(terminal.Faint, text)
		}
	}
	c.block = "shown"
}

// chart draws bars, with the values beside them; what bars cannot show is a table.
func (c *chat) chart(s deputy.Shows, v view) error {
	f, err := c.read(s, v)
	if err != nil {
		return err
	}
	x, y := f.index(v.X), -1
	if len(v.Y) == 1 {
		y = f.index(v.Y[0])
	}
	bars, sum := c.bars(f, x, y)
	if bars == nil {
		return c.table(s, false)
	}
	if v.View == "pie" && sum > 0 {
		for i, b := range bars {
			bars[i].Value += fmt.Sprintf("  %5.1f %%", 100*b.Length/sum)
		}
	}
	lines := append([]string{terminal.Exact(f.heading(y))}, terminal.Bars(bars, c.width())...)
	c.frame(f, lines, "From "+counted(len(f.rows), "row")+map[bool]string{true: "; the result is cut, there are more"}[f.truncated])
	return nil
}

// bars are the rows as bars; nil where they cannot be: values below zero, or too many.
func (c *chat) bars(f found, x, y int) (out []terminal.Bar, sum float64) {
	if x < 0 || y < 0 || len(f.rows) == 0 || len(f.rows) > mostRows {
		return nil, 0
	}
	label := f.index(f.headings[x].Name + ".label")
	if label < 0 {
		label = x
	}
	for _, row := range f.rows {
		n := 0.0
		if row[y] != nil {
			text := fmt.Sprint(row[y])
			var err error
			if n, err = strconv.ParseFloat(text, 64); err != nil || n < 0 || math.IsInf(n, 0) {
				return nil, 0
			}
		}
		sum += n
		out = append(out, terminal.Bar{Label: c.value(row[label]), Value: c.value(row[y]), Length: n})
	}
	return out, sum
}

// inText shows a number, a record or a list of rows.
func (c *chat) inText(s deputy.Shows, v view) error {
	f, err := c.read(s, v)
	if err != nil {
		return err
	}
	if len(f.rows) == 0 {
		return c.table(s, false)
	}
	var lines []string
	switch v.View {
	case "number":
		at := max(0, f.index(append(v.Y, "")[0]))
		lines = []string{terminal.Exact(c.value(f.rows[0][at])) + "  " + terminal.Exact(f.heading(at))}
	case "record":
		lines = c.record(f)
	default:
		for _, row := range f.rows {
			var cells []string
			for _, p := range f.shown {
				cells = append(cells, terminal.Exact(c.cell(f, p, row)))
			}
			lines = append(lines, "- "+strings.Join(cells, " · "))
		}
	}
	foot := ""
	if f.truncated {
		foot = "The result is cut here: there are more rows."
	}
	c.frame(f, lines, foot)
	return nil
}

// record is one row, a line a field.
func (c *chat) record(f found) (lines []string) {
	widest := 0
	for _, p := range f.shown {
		widest = max(widest, min(30, terminal.Width(terminal.Exact(f.heading(p.at)))))
	}
	for _, p := range f.shown {
		name := terminal.Cut(terminal.Exact(f.heading(p.at)), widest)
		name += strings.Repeat(" ", widest-terminal.Width(name))
		value := []string{terminal.Exact(c.cell(f, p, f.rows[0]))}
		if c.console != nil {
			value = terminal.Fold(value[0], c.room()-widest-2)
		}
		for _, part := range value {
			lines = append(lines, name+"  "+part)
			name = strings.Repeat(" ", widest)
		}
	}
	return lines
}
