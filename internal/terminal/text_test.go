package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExactAndPlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, exact, plain string }{
		{"plain ÆØÅ 漢字", "plain ÆØÅ 漢字", "plain ÆØÅ 漢字"},
		{" a  b ", "␣a  b␣", " a  b "}, {"   ", "␣␣␣", "   "}, {"", "", ""},
		{"a\nb\tc", "a⏎b[U+0009]c", "a\nb    c"}, {"a\rb", "a[U+000D]b", "a[U+000D]b"},
		{"\x1b]8;;https://x.example\x07ok", "[U+001B]]8;;https://x.example[U+0007]ok", "[U+001B]]8;;https://x.example[U+0007]ok"},
		{"\u009b31m\x7f", "[U+009B]31m[U+007F]", "[U+009B]31m[U+007F]"}, {"bad \xff byte", "bad \ufffd byte", "bad \ufffd byte"}, {"\x9b31m", "\ufffd31m", "\ufffd31m"},
		{"u\u202egnp", "u[U+202E]gnp", "u[U+202E]gnp"}, {"a\u200bb\u2060\ufeff", "a[U+200B]b[U+2060][U+FEFF]", "a[U+200B]b[U+2060][U+FEFF]"},
		{"a\u00a0b\u3000", "a[U+00A0]b[U+3000]", "a b "}, {"a\u2028b", "a[U+2028]b", "a[U+2028]b"},
		{"⚠\ufe0f", "⚠[U+FE0F]", "⚠"}, {"a\ufe0f", "a[U+FE0F]", "a[U+FE0F]"}, {"\u3164\u2800\U000e0041", "[U+3164][U+2800][U+E0041]", "[U+3164][U+2800][U+E0041]"},
		{"e\u0301\u0301\u0301\u0301x\u0301", "e\u0301\u0301\u0301[U+0301]x\u0301", "e\u0301\u0301\u0301[U+0301]x\u0301"},
		{"┃ after", "[U+2503] after", "[U+2503] after"},
	} {
		if got := Exact(c.text); got != c.exact {
			t.Errorf("Exact(%q) = %q", c.text, got)
		}
		if got := Plain(c.text); got != c.plain {
			t.Errorf("Plain(%q) = %q", c.text, got)
		}
	}
}

func TestMixed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pаypal": "“pаypal” mixes Latin and Cyrillic letters", "Ελλάδα": "", "Acme Москва": "", "": "", "ok αb": "“αb” mixes Latin and Greek letters", "p\u202eа": "", "日本語 abc": "",
		"+47 2৪ 1": "“2৪” has digits of another script among its characters", "a１": "“a１” has digits of another script among its characters", "৪২": "", "x2": "",
	} {
		if got := Mixed(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestWidths(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abc": 3, "漢字": 4, "e\u0301": 1, "ＡＢ": 4, "😀": 2, "–…": 2, "한": 2, "█": 1} {
		if got := Width(text); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"漢字漢", 4, "漢…"}, {"漢字", 4, "漢字"}, {"abc", 1, "…"}} {
		if got := Cut(c.text, c.most); got != c.want || Width(got) > c.most {
			t.Errorf("Cut(%q, %d) = %q", c.text, c.most, got)
		}
	}
	if got := strings.Join(Fold("abc漢字d", 3), "|"); got != "abc|漢|字d" {
		t.Error(got)
	}
	if got := Fold("", 10); len(got) != 1 || got[0] != "" {
		t.Errorf("%q", got)
	}
}

// FuzzText: nothing that a terminal would obey, or that cannot be seen, is left of any text; folding leaves nothing out and is never too wide;
// running text reads the same in whatever pieces it comes.
func FuzzText(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31m", "a\u202eb", "漢字\n x", "\xff\xfe", "⚠\ufe0f", strings.Repeat("long ", 40), "┃"} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		exact, plain := Exact(text), Plain(text)
		for _, r := range exact + strings.ReplaceAll(plain, "\n", "") {
			if Hidden(r) {
				t.Fatalf("%U is left", r)
			}
		}
		if !utf8.ValidString(exact + plain) {
			t.Fatal("not UTF-8")
		}
		most := 2 + n&0x3f
		lines := Fold(exact, most)
		if strings.Join(lines, "") != exact {
			t.Fatalf("%q is folded to %q", exact, lines)
		}
		for _, l := range append(lines, Cut(exact, most)) {
			if Width(l) > most {
				t.Fatalf("%q takes %d of %d", l, Width(l), most)
			}
		}
		var whole, pieces strings.Builder
		one, many := NewProse(&whole, most), NewProse(&pieces, most)
		one.Write(text)
		one.End()
		if !utf8.ValidString(text) {
			return // it would be cut within a character
		}
		for _, r := range text {
			many.Write(string(r))
		}
		many.End()
		if whole.String() != pieces.String() {
			t.Fatalf("%q or %q", whole.String(), pieces.String())
		}
		for l := range strings.Lines(whole.String()) {
			if Width(strings.TrimSuffix(l, "\n")) > most {
				t.Fatalf("%q takes more than %d", l, most)
			}
		}
	})
}

func TestProse(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := NewProse(&b, 10)
	p.Write("one two ")
	if b.String() != "one two " {
		t.Errorf("a word that is whole is held back: %q", b.String())
	}
	p.Write("thr")
	if b.String() != "one two " {
		t.Errorf("a word is told in part: %q", b.String())
	}
	p.Write("ee four\nfive\n\nsixseveneight")
	p.End()
	if b.String() != "one two \nthree four\nfive\n\nsixsevenei\nght\n" {
		t.Errorf("%q", b.String())
	}
}
