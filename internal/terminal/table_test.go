package terminal

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	cols := []Column{{"Name", false}, {"Total", true}, {"Note", false}}
	rows := [][]string{{"Acme", "1,204.50", "x\ny"}, {"漢字", "7", "\x1b[2J"}}
	lines, shown := Table(cols, rows, 0)
	want := "Name     Total  Note\n────  ────────  ───────────\nAcme  1,204.50  x⏎y\n漢字         7  [U+001B][2J"
	if got := strings.Join(lines, "\n"); got != want || shown != 3 {
		t.Errorf("%d\n%s", shown, got)
	}
	for most := 1; most < 60; most++ {
		lines, shown := Table(cols, rows, most)
		if shown < 1 || len(lines) != 4 {
			t.Errorf("%d: %d columns, %d lines", most, shown, len(lines))
		}
		for _, l := range lines {
			if Width(l) > max(most, 2) {
				t.Errorf("%d: %q takes %d", most, l, Width(l))
			}
		}
	}
	if _, shown := Table(cols, rows, 15); shown != 2 {
		t.Errorf("%d columns in 15", shown)
	}
	for most := 14; most < 60; most++ {
		if lines, _ := Table(cols, rows, most); !strings.Contains(lines[2], "1,204.50") {
			t.Errorf("%d: a number is cut: %q", most, lines[2])
		}
	}
	if lines, shown := Table(nil, nil, 10); shown != 0 || len(lines) != 2 {
		t.Errorf("%d %q", shown, lines)
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	got := Bars([]Bar{{"Norway", "9", 9}, {"Sverige\x1b", "3", 3}, {"none", "–", 0}}, 40)
	for i, want := range []int{20, 7, 0} {
		if n := strings.Count(got[i], "█"); n == 0 != (want == 0) || i > 0 && n >= strings.Count(got[i-1], "█") {
			t.Errorf("%d: %q", i, got[i])
		}
		if Width(got[i]) > 40 || strings.Contains(got[i], "\x1b") {
			t.Errorf("%q", got[i])
		}
	}
	if out := Bars([]Bar{{"a", "0", 0}}, 5); len(out) != 1 {
		t.Errorf("%q", out)
	}
}
