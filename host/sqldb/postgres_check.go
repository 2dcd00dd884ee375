package sqldb

// The server writes a check its own way: CHECK (((state)::text = ANY ((ARRAY['a'::character varying])::text[]))). Without casts, and with
// brackets as parentheses, it is read like any other.

// serverTokens splits what the server wrote.
func serverTokens(text string) []token {
	var out []token
	for text != "" {
		var t token
		switch text[0] {
		case '[':
			t, text = token{'p', "("}, text[1:]
		case ']':
			t, text = token{'p', ")"}, text[1:]
		default:
			t, text = nextToken(text)
		}
		if t.kind != 0 {
			out = append(out, t)
		}
	}
	return listsOf(bare(withoutCasts(out)))
}

// withoutCasts drops :: and the type after it.
func withoutCasts(ts []token) []token {
	var out []token
	for i := 0; i < len(ts); i++ {
		if !ts[i].is(":") || i+1 >= len(ts) || !ts[i+1].is(":") {
			out = append(out, ts[i])
			continue
		}
		for i += 2; i < len(ts) && (ts[i].is(".") || ts[i].kind == 'q' || ts[i].kind == 'w' && !operatorWord(ts[i])); i++ {
		}
		for i < len(ts) && ts[i].is("(") && ofSize(inside(ts[i:])) {
			i += len(inside(ts[i:])) + 2
		}
		i--
	}
	return out
}

// ofSize says whether parentheses belong to a type: numeric(10,2), text[].
func ofSize(ts []token) bool {
	for _, t := range ts {
		if t.kind != 'n' && !t.is(",") {
			return false
		}
	}
	return true
}

func operatorWord(t token) bool {
	for _, w := range []string{"AND", "OR", "IS", "NOT", "IN", "BETWEEN", "LIKE", "ANY", "COLLATE"} {
		if t.word(w) {
			return true
		}
	}
	return false
}

// bare takes parentheses off single words.
func bare(ts []token) []token {
	var out []token
	for i := 0; i < len(ts); i++ {
		if ts[i].is("(") && i+2 < len(ts) && ts[i+2].is(")") && (ts[i+1].kind == 'w' || ts[i+1].kind == 'q' || ts[i+1].kind == 's' || ts[i+1].kind == 'n') &&
			(i == 0 || ts[i-1].kind == 'p' || operatorWord(ts[i-1])) {
			out = append(out, ts[i+1])
			i += 2
			continue
		}
		out = append(out, ts[i])
	}
	return out
}

// listsOf writes x = ANY (ARRAY(…)) as x IN (…).
func listsOf(ts []token) []token {
	var out []token
	for i := 0; i < len(ts); i++ {
		if !ts[i].is("=") || i+2 >= len(ts) || !ts[i+1].word("ANY") || !ts[i+2].is("(") {
			out = append(out, ts[i])
			continue
		}
		all := inside(ts[i+2:])
		list := unwrap(all)
		if len(list) < 2 || !list[0].word("ARRAY") || !list[1].is("(") {
			out = append(out, ts[i])
			continue
		}
		out = append(append(append(out, token{'w', "IN"}, token{'p', "("}), inside(list[1:])...), token{'p', ")"})
		i += len(all) + 3
	}
	return out
}
