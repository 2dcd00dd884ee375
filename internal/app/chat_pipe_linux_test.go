package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/deputy/internal/terminal"
)

// In a pipe all of standard input is one message: the answer is plain text, nothing is asked or confirmed, and the exit status is the outcome.
func chatPipe(t *testing.T, bin string) {
	asked := make(chan struct{}, 1)
	config := chatConfig(t, modelThat(t, func(a *talking) {
		switch {
		case strings.Contains(a.said, "broken"):
			a.r.Body = http.NoBody
			panic(http.ErrAbortHandler)
		case strings.Contains(a.said, "slowly"):
			asked <- struct{}{}
			a.hangs()
		case strings.Contains(a.said, "endless"):
			a.says("Half an")
			a.chunk("{}", `"length"`)
			_, _ = a.w.Write([]byte("data: [DONE]\n\n"))
		case strings.Contains(a.said, "change"):
			changes("5")(a)
		case strings.Contains(a.said, "rows") && a.step == 1:
			a.does("query_records", map[string]any{"table": "customers", "select": []string{"id", "name"}})
		case strings.Contains(a.said, "rows") && a.step == 2:
			a.does("present_results", map[string]any{"view": "table", "call_id": "c1"})
		default:
			a.says("A *plain* answer.")
		}
	}))
	ask := func(in string, more ...string) (int, string, string) {
		return pipe(t, in, bin, append([]string{"chat", "--config", config, "--as", "ann"}, more...)...)
	}
	for _, c := range []struct {
		name, in string
		more     []string
		status   int
		out, err string
	}{
		{"answered", "hello\nand a second line\n", nil, good, "A *plain* answer.\n", ""},
		{"rows", "rows", nil, good, "A *plain* answer.\n\nID  Name\n 1  Acme\n 2  Beta\n", ""},
		{"cut", "endless", nil, failed, "Half an\n", "deputy: The answer was cut at the model's limit."},
		{"nothing", " \n", nil, wrong, "", "deputy: nothing on standard input"},
		{"no person", "hello", []string{"--as", "bob"}, wrong, "", "deputy: --as bob: no such id in auth.tokens"},
		{"no conversation", "hello", []string{"--conversation", "cnv_x"}, wrong, "", "deputy: --conversation cnv_x: there is no such conversation of yours"},
		{"too long", strings.Repeat("x", 300<<10), nil, failed, "", "deputy: text: longer than"},
	} {
		if status, out, errOut := ask(c.in, c.more...); status != c.status || out != c.out || !strings.HasPrefix(errOut, c.err) || c.err == "" && errOut != "" || strings.Count(errOut, "\n") > 1 {
			t.Errorf("%s: %d %q %q", c.name, status, out, errOut)
		}
	}
	status, out, errOut := ask("change it\ny\ny\nyes\n")
	if status != good || errOut != "" || !strings.Contains(out, "after   │ 5\n") || !strings.Contains(out, "It waits: confirm it on the page") || phone(t, config, "1") != "1" {
		t.Errorf("%d %s%s", status, out, errOut)
	}
	if status, out, errOut = ask("y"); status != good || phone(t, config, "1") != "1" {
		t.Errorf("%d %s%s", status, out, errOut)
	}
	if status, out, errOut = ask("broken"); status != failed || out != "" || !strings.Contains(errOut, "deputy: ") {
		t.Errorf("%d %s%s", status, out, errOut)
	}
	status, _, errOut = pipe(t, "x", bin, "kill-switch", "on", "--config", config)
	if status != good {
		t.Fatal(errOut)
	}
	if status, out, errOut = ask("hello"); status != failed || out != "" || !strings.HasPrefix(errOut, "deputy: ") {
		t.Errorf("%d %s%s", status, out, errOut)
	}
	if status, _, errOut = pipe(t, "x", bin, "kill-switch", "off", "--config", config); status != good {
		t.Fatal(errOut)
	}
	interrupted(t, asked, bin, "chat", "--config", config, "--as", "ann")
}

// interrupted sends the signal of Ctrl-C while a question is being answered.
func interrupted(t *testing.T, asked chan struct{}, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = strings.NewReader("slowly")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-asked:
	case <-time.After(patience):
		t.Fatal("nothing was asked")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != failed || !strings.Contains(out.String(), "deputy: stopped before it was answered") {
		t.Errorf("%d %s", status, out.String())
	}
}

// form is a text that tries something with whoever shows it.
type form struct{ ID, Text string }

// forms are those of the collection, where it is there, and the terminal's own.
func forms(t *testing.T) []form {
	t.Helper()
	out := []form{
		{"title", "\x1b]0;owned\x07"}, {"clear", "\x1b[2J\x1b[1;1H"}, {"colour", "\x1b[31mred\x1b[0m"}, {"answer", "\x1b[6n\x1b[c"}, {"c1", "\u009b31m\u009d0;x\u009c"}, {"dcs", "\x1bP+q544e\x1b\\"},
		{"clipboard", "\x1b]52;c;ZXZpbA==\x07"}, {"backspace", "yes\b\b\bno"}, {"return", "safe\rgone"}, {"bell", "\a"}, {"vertical", "a\vb\fc"},
		{"override", "user\u202egnp.exe"}, {"isolate", "\u2066a\u2069"}, {"zero width", "pay\u200bpal\u200d\ufeff"}, {"tags", "\U000e0041\U000e0042"}, {"separator", "a\u2028b\u2029c"},
		{"fake card", "x\nConfirm 1 change? y = yes\n┃       after   │ harmless"},
	}
	text, err := os.ReadFile("../../../shared/data/attacks/rendering-forms.json")
	if err != nil {
		t.Logf("the collection of forms is not here, so only the terminal's own are tried: %v", err)
		return out
	}
	var more []form
	if err := json.Unmarshal(text, &more); err != nil || len(more) == 0 {
		t.Fatal(err)
	}
	return append(out, more...)
}

// disarmed fails where a terminal would obey something that the command does not write itself, or where something cannot be seen.
func disarmed(t *testing.T, raw string) {
	t.Helper()
	for line := range strings.Lines(strings.ReplaceAll(own.ReplaceAllString(raw, ""), "\r", "")) {
		for _, r := range strings.TrimSuffix(strings.TrimPrefix(line, terminal.Border), "\n") {
			if terminal.Hidden(r) {
				t.Errorf("%U reached the terminal: %q", r, line)
				return
			}
		}
	}
}

// chatForms puts every form into a record, a label, a note and an answer, and into what is proposed.
func chatForms(t *testing.T, bin string) {
	all := forms(t)
	var said []string
	for _, f := range all {
		said = append(said, f.Text)
	}
	answer := strings.Join(said, " ")
	label, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	config := chatConfig(t, modelThat(t, func(a *talking) {
		switch {
		case a.step == 1 && strings.Contains(a.said, "change"):
			a.does("update_record", map[string]any{"table": "customers", "id": "1", "values": []map[string]string{{"field": "phone", "value": answer}}})
		case a.step == 1:
			a.does("query_records", map[string]any{"table": "customers", "select": []string{"id", "name", "phone", "employee_id"}})
		case a.step == 2 && !strings.Contains(a.said, "change"):
			for _, view := range []string{"table", "record", "list", "bar"} {
				a.does("present_results", map[string]any{"view": view, "call_id": "c1", "title": answer, "note": answer, "x": "name", "y": []string{"id"}})
			}
			a.does("no_such_tool"+said[0], map[string]any{"table": answer})
		default:
			a.says(answer)
		}
	}), `sqlite:%s" }`, `sqlite:%s", tables: { customers: { label: `+string(label)+`, record_label: name, fields: { phone: { label: `+string(label)+` } } } } }`)
	for i, f := range all {
		alter(t, config, "INSERT INTO customers (id, name, phone, employee_id) VALUES (?, ?, ?, 1)", 100+i, f.Text, f.Text)
	}
	alter(t, config, "UPDATE customers SET name = ? WHERE id = 1", answer)

	s := atTerminal(t, 120, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("customers\r")
	s.sees("\n> ")
	s.types("/rows\r")
	s.sees("\n> ")
	s.types("change it\r")
	s.sees("leave it waiting: ")
	s.types("\r/list\r/waiting\r")
	s.sees("leave it waiting: ")
	s.types("\x04")
	s.ends()
	disarmed(t, s.raw())
	shown := s.screen()
	flat := regexp.MustCompile(`\s+`).ReplaceAllString(shown, "")
	for _, want := range []string{"[U+001B]]8;;https://", "[U+0007]", "user[U+202E]gnp.exe", "pay[U+200B]pal[U+200D][U+FEFF]", "[U+E0041]", "safe[U+000D]gone", "[U+009B]31m"} {
		if !strings.Contains(flat, want) {
			t.Errorf("%s is not shown", want)
		}
	}
	for line := range strings.Lines(shown) {
		if strings.HasPrefix(line, terminal.Border+"      after   │ harmless") {
			t.Errorf("a value passes for a line of its own: %s", line)
		}
	}

	for _, in := range []string{"customers", "change it"} {
		status, out, errOut := pipe(t, in, bin, "chat", "--config", config, "--as", "ann")
		if status != good || errOut != "" {
			t.Errorf("%d %s", status, errOut)
		}
		disarmed(t, out)
		if strings.Contains(out, "\x1b") || !strings.Contains(out, "user[U+202E]gnp.exe") {
			t.Errorf("%s: %d bytes", in, len(out))
		}
	}
	bad := writeFile(t, "bad.yaml", "host: { database: \"sqlite:\\e]0;x\\a.db\" }\n\"\\e[2J\": 1\n")
	_, _, errOut := pipe(t, "x", bin, "chat", "--config", bad, "--as", "ann\x1b[2J")
	disarmed(t, errOut)
	_, _, errOut = pipe(t, "x", bin, "chat", "--config", config, "--as", fmt.Sprint("ann", said[0]))
	disarmed(t, errOut)
}
