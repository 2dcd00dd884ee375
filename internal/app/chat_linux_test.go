package app

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"example.com/deputy/internal/terminal"
)

// pipe runs the command in a pipe.
func pipe(t *testing.T, in, name string, args ...string) (status int, out, errOut string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var o, e bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &o, &e
	if err := cmd.Run(); err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
			t.Fatal(err)
		}
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

func theShop(t *testing.T, config string) *sql.DB {
	t.Helper()
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", regexp.MustCompile(`sqlite:([^"]*shop\.db)`).FindStringSubmatch(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// phone is what stands in the shop.
func phone(t *testing.T, config, customer string) string {
	t.Helper()
	db := theShop(t, config)
	defer func() { _ = db.Close() }()
	var out sql.NullString
	if err := db.QueryRowContext(t.Context(), "SELECT phone FROM customers WHERE id = ?", customer).Scan(&out); err != nil {
		return err.Error()
	}
	return out.String
}

// alter changes the shop behind everybody's back.
func alter(t *testing.T, config, statement string, args ...any) {
	t.Helper()
	db := theShop(t, config)
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// changes is a model that proposes a change of a phone.
func changes(to string) func(*talking) {
	return func(a *talking) {
		if a.step == 1 {
			a.does("update_record", map[string]any{"table": "customers", "id": "1", "values": []map[string]string{{"field": "phone", "value": to}}})
			return
		}
		a.says("I have prepared it.")
	}
}

// TestChat drives the built command at a real terminal.
func TestChat(t *testing.T) {
	t.Parallel()
	bin := binary(t)
	for name, test := range map[string]func(*testing.T, string){
		"streaming": chatStreams, "interrupts": chatInterrupts, "interrupts nothing": chatInterruptsNothing, "leaving": chatLeaves, "yes": chatYes, "typed ahead": chatTypedAhead, "no": chatNo,
		"group": chatGroup, "unshowable": chatUnshowable, "may not": chatMayNot, "two": chatTwo, "narrow": chatNarrow, "forms": chatForms, "pipe": chatPipe,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, bin)
		})
	}
}

// What is said stands on the screen while the model still speaks.
func chatStreams(t *testing.T, bin string) {
	more := make(chan struct{})
	config := chatConfig(t, modelThat(t, func(a *talking) {
		a.says("The first words ")
		select {
		case <-more:
		case <-a.r.Context().Done():
		}
		a.says("and the last.")
	}))
	s := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("Ann · model: m · /help")
	s.sees("> ")
	s.types("hello\r")
	s.sees("The first words")
	close(more)
	s.sees("and the last.\n")
	s.sees("> ")
	s.types("\x1b[A") // what was said before
	s.sees("hello")
	s.types("\x15\x04")
	if status := s.ends(); status != good {
		t.Errorf("status %d\n%s", status, s.screen())
	}
	if !strings.Contains(s.raw(), "\x1b[2m") {
		t.Error("no colours where they are wanted")
	}
}

// Ctrl-C stops the answer, and what was asked of the model; the next question is answered. Twice leaves.
func chatInterrupts(t *testing.T, bin string) {
	gone := make(chan struct{}, 1)
	config := chatConfig(t, modelThat(t, func(a *talking) {
		if !strings.Contains(a.said, "slowly") {
			a.says("At once.")
			return
		}
		a.says("One two three ")
		a.hangs()
		gone <- struct{}{}
	}))
	s := atTerminal(t, 80, []string{"NO_COLOR=1"}, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("slowly\r")
	s.sees("One two three")
	s.types("\x03")
	s.sees("You stopped this.")
	<-gone
	s.sees("> ")
	s.types("quickly\r")
	s.sees("At once.")
	s.sees("> ")
	s.types("half a line\x03")
	s.sees("Ctrl-C again leaves")
	s.sees("> ")
	s.types("\x03")
	if status := s.ends(); status != good {
		t.Errorf("status %d\n%s", status, s.screen())
	}
	if regexp.MustCompile(`\x1b\[[0-9;]*m`).MatchString(s.raw()) {
		t.Error("colours where none are wanted")
	}
}

// Ctrl-C twice leaves in mid-answer.
func chatLeaves(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, func(a *talking) {
		a.says("One two three ")
		a.hangs()
	}))
	s := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("slowly\r")
	s.sees("One two three")
	s.types("\x03\x03")
	if status := s.ends(); status != good {
		t.Errorf("status %d\n%s", status, s.screen())
	}
}

// A Ctrl-C while a change is carried out stops neither it nor the answer to what is said next.
func chatInterruptsNothing(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, func(a *talking) {
		if strings.Contains(a.said, "hello") {
			a.says("Good day.")
			return
		}
		changes("5")(a)
	}))
	s := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("change it\r")
	s.sees("leave it waiting: ")
	db := theShop(t, config)
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	s.types("y\r")
	s.sees("Working…")
	s.types("\x03")
	if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	s.sees("Done.")
	s.sees("> ")
	s.types("hello\r")
	s.sees("Good day.")
	s.sees("> ")
	s.types("\x04")
	s.ends()
	if strings.Contains(s.screen(), "You stopped this.") {
		t.Errorf("it was stopped:\n%s", s.screen())
	}
}

// A proposal is shown whole, and done when it is said so.
func chatYes(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, changes("+47 555 00 001")))
	s := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("change the phone of customer 1 to +47 555 00 001\r")
	card := s.sees("Confirm 1 change?\ny = yes, n = reject, Enter = leave it waiting: ")
	for _, want := range []string{"Update ", "Change · Customers 1", "Phone", "before  │ 1\n", "after   │ +47 555 00 001\n", "you said this", "It expires in 24 h"} {
		if !strings.Contains(card, want) {
			t.Errorf("%q is not shown:\n%s", want, card)
		}
	}
	s.types("perhaps\r")
	s.sees("Type a letter: nothing is changed yet.")
	s.sees("leave it waiting: ")
	s.types("y\r")
	s.sees("Done.")
	if got := phone(t, config, "1"); got != "+47 555 00 001" {
		t.Errorf("the phone is %s", got)
	}
	s.types("/waiting\r")
	s.sees("Nothing waits for you.")
	s.types("/quit\r")
	if status := s.ends(); status != good {
		t.Errorf("status %d", status)
	}
}

// What was typed before the proposal stood there confirms nothing, nor does what is pasted.
func chatTypedAhead(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, changes("5")))
	s := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("change it\ry\ry\r")
	s.sees("leave it waiting: ")
	s.types("\x1b[200~y\ry\r\x1b[201~\r")
	s.sees("Type a letter")
	s.sees("leave it waiting: ")
	s.types("\r")
	s.sees("> ")
	s.types("/waiting\r")
	s.sees("from neither you nor the data")
	s.sees("leave it waiting: ")
	s.types("\x04")
	s.ends()
	if got := phone(t, config, "1"); got != "1" {
		t.Errorf("the phone is %s", got)
	}
}

func chatNo(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, changes("5")))
	s := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("change it\r")
	s.sees("leave it waiting: ")
	s.types("n\r")
	s.sees("You turned this down. Nothing was changed.")
	s.types("\x04")
	s.ends()
	if got := phone(t, config, "1"); got != "1" {
		t.Errorf("the phone is %s", got)
	}
}

// A delete stands first in its group, which is one question; what has changed meanwhile is shown anew.
func chatGroup(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, func(a *talking) {
		if a.step > 1 {
			a.says("Both are prepared.")
			return
		}
		a.does("update_record", map[string]any{"table": "customers", "id": "1", "values": []map[string]string{{"field": "phone", "value": "5"}}})
		a.does("delete_record", map[string]any{"table": "customers", "id": "2"})
	}))
	s := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("both please\r")
	card := s.sees("Confirm 2 changes, 1 delete among them?\n")
	first, second := strings.Index(card, "2. Delete"), strings.Index(card, "1. Update")
	if first < 0 || second < first || !strings.Contains(card, "2 changes that belong together") || !strings.Contains(card, "goes    │ Beta") {
		t.Errorf("the delete is not first, or not whole:\n%s", card)
	}
	alter(t, config, "UPDATE customers SET phone = '7' WHERE id = 1")
	s.sees("leave it waiting: ")
	s.types("y\r")
	s.sees("Changed meanwhile, so nothing was written.\n")
	s.sees("The new difference:")
	again := s.sees("Confirm 2 changes, 1 delete among them?\n")
	if !strings.Contains(again, "before  │ 7\n") {
		t.Errorf("the new difference:\n%s", again)
	}
	s.sees("leave it waiting: ")
	s.types("YES\r")
	s.sees("1. Done.\n2. Done.\n")
	s.types("\x04")
	s.ends()
	if one, two := phone(t, config, "1"), phone(t, config, "2"); one != "5" || !strings.Contains(two, "no rows") {
		t.Errorf("%s, %s", one, two)
	}
}

// What cannot be shown whole is not confirmed, whatever is typed.
func chatUnshowable(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, changes(strings.Repeat("9", 9000))))
	s := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("change it\r")
	s.sees("more characters that are not shown")
	s.sees("so it cannot be confirmed. Phone has a text of")
	s.sees("Reject it?\nn = reject, Enter = leave it waiting: ")
	s.types("y\r")
	s.sees("Type a letter")
	s.sees("waiting: ")
	s.types("n\r")
	s.sees("You turned this down.")
	s.types("\x04")
	s.ends()
	if got := phone(t, config, "1"); got != "1" {
		t.Errorf("the phone is %s", got)
	}
}

// A token that may not confirm is not asked.
func chatMayNot(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, changes("5")), "roles: [support]", "roles: [support], confirm: false")
	s := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("may not confirm")
	s.sees("> ")
	s.types("change it\r")
	s.sees("This sign-in may not confirm.")
	s.sees("> ")
	s.types("y\r")
	s.sees("> ")
	s.types("\x04")
	s.ends()
	if got := phone(t, config, "1"); got != "1" {
		t.Errorf("the phone is %s", got)
	}
}

// Two processes on one store: a conversation is gone on with in another, where a turn that runs in the first stands in the way.
func chatTwo(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, func(a *talking) {
		if strings.Contains(a.said, "slowly") {
			a.says("One two three ")
			a.hangs()
			return
		}
		a.says("An answer to " + a.said)
	}))
	one := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann")
	one.sees("> ")
	one.types("the first question\r")
	one.sees("An answer to")
	one.sees("> ")
	status, list, errOut := pipe(t, "", bin, "chat", "--config", config, "--as", "ann", "--list")
	id, _, _ := strings.Cut(list, " ")
	if status != good || !strings.HasPrefix(id, "cnv_") || !strings.HasSuffix(list, "  the first question\n") {
		t.Fatalf("%d %s%s", status, list, errOut)
	}
	two := atTerminal(t, 80, nil, bin, "chat", "--config", config, "--as", "ann", "--conversation", id)
	two.sees("> the first question")
	two.sees("An answer to")
	two.sees("\n> ")
	one.types("slowly\r")
	one.sees("One two three")
	two.types("\x1b[A\r") // the first question again
	two.sees("turn")
	two.sees("\n> ")
	one.types("\x03")
	one.sees("You stopped this.")
	two.types("the second question\r")
	two.sees("the second question")
	two.sees("An answer to")
	two.sees("> ")
	for _, s := range []*terminalSession{one, two} {
		s.types("\x04")
		if status := s.ends(); status != good {
			t.Errorf("status %d\n%s", status, s.screen())
		}
	}
}

// No line is wider than the terminal, wide characters and numbers included.
func chatNarrow(t *testing.T, bin string) {
	config := chatConfig(t, modelThat(t, func(a *talking) {
		switch a.step {
		case 1:
			a.does("query_records", map[string]any{"table": "customers", "select": []string{"id", "name", "phone"}})
		case 2:
			a.does("present_results", map[string]any{"view": "table", "call_id": "c1", "columns": []string{"id", "name", "phone"}, "title": "客户"})
			a.does("present_results", map[string]any{"view": "bar", "call_id": "c1", "x": "name", "y": []string{"id"}})
		default:
			a.says("These are the customers, of whom there are two, one with a very long name in wide characters.")
		}
	}))
	alter(t, config, "UPDATE customers SET name = '"+strings.Repeat("漢字", 30)+"' WHERE id = 2")
	s := atTerminal(t, 40, nil, bin, "chat", "--config", config, "--as", "ann")
	s.sees("> ")
	s.types("customers\r")
	s.sees("wide characters.")
	s.sees("> ")
	s.types("\x04")
	s.ends()
	for line := range strings.Lines(s.screen()) {
		if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > 40 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"客户", " 1  Acme", "漢字", "…", "2 rows", "█"} {
		if !strings.Contains(s.screen(), want) {
			t.Errorf("%q is not shown:\n%s", want, s.screen())
		}
	}
}
