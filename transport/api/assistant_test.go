package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.com/deputy/internal/sse"
	"example.com/deputy/query"
)

func events(t *testing.T, r io.Reader) (out []sse.Event) {
	t.Helper()
	for e, err := range sse.Read(r) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func names(es []sse.Event) string {
	var out []string
	for _, e := range es {
		out = append(out, e.Name)
	}
	return strings.Join(out, " ")
}

func TestTurnAsEvents(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.conversation("ann")
	r := s.do("ann", "POST", "/v1/conversations/"+c+"/turns", `{"text":"rows"}`, "Accept", "text/event-stream")
	if r.status != 200 || r.header.Get("Content-Type") != "text/event-stream" || r.header.Get("Cache-Control") != "no-store" {
		t.Fatal(r.status, r.header)
	}
	es := events(t, strings.NewReader(r.body))
	for _, want := range []string{"turn.started", "text.delta", "usage", "tool.started", "tool.finished", "display", "turn.finished"} {
		if !strings.Contains(names(es), want) {
			t.Errorf("no %s in %s", want, names(es))
		}
	}
	for i := 1; i < len(es); i++ {
		if es[i].ID <= es[i-1].ID {
			t.Errorf("ids do not grow: %d after %d", es[i].ID, es[i-1].ID)
		}
	}
	if es[0].Name != "turn.started" || es[len(es)-1].Name != "turn.finished" || strings.Count(names(es), "turn.finished") != 1 {
		t.Error(names(es))
	}
	var started struct{ Turn string }
	if err := json.Unmarshal(es[0].Data, &started); err != nil {
		t.Fatal(err)
	}
	again := events(t, strings.NewReader(s.do("ann", "GET", "/v1/turns/"+started.Turn+"/events", "", "Last-Event-ID", fmt.Sprint(es[2].ID)).body))
	if names(again) != names(es[3:]) {
		t.Errorf("after %d: %s", es[2].ID, names(again))
	}
}

// Events arrive one by one, while the model is still at work; and a line that is lost does not stop the turn.
func TestEventsAreFlushedAndTheTurnOutlivesTheLine(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.conversation("ann")
	ctx, hangUp := context.WithCancel(t.Context())
	r := s.send(ctx, "ann", "POST", "/v1/conversations/"+c+"/turns", `{"text":"wait"}`, "Accept", "text/event-stream")
	<-s.step // the model waits for us: whatever we read now was flushed
	lines := bufio.NewScanner(r.Body)
	turn := ""
	for turn == "" && lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			turn = s.want(reply{200, nil, data}, 200).text("turn")
		}
	}
	if !strings.HasPrefix(turn, "trn_") {
		t.Fatalf("the first event did not come: %q %v", turn, lines.Err())
	}
	hangUp()
	_ = r.Body.Close() // hung up on purpose

	if got := s.want(s.do("ann", "GET", "/v1/turns/"+turn, ""), 200); got.text("state") != "running" || got["reason"] != nil {
		t.Errorf("while it runs: %v", got)
	}
	s.want(s.do("ann", "POST", "/v1/conversations/"+c+"/turns", `{"text":"another"}`), 409)
	follower := s.send(t.Context(), "ann", "GET", "/v1/turns/"+turn+"/events", "")
	defer follower.Body.Close()
	s.release()
	if es := events(t, follower.Body); !strings.Contains(string(es[len(es)-1].Data), "waited for you") {
		t.Error(names(es))
	}
	got := s.want(s.do("ann", "GET", "/v1/turns/"+turn, ""), 200)
	if got.text("state") != "completed" || got.text("reason") != "answered" || got.text("text") != "waited for you" || got["finished_at"] == nil {
		t.Error(got)
	}
}

// A server that stops ends the streams; what runs in a turn goes on.
func TestClosingEndsStreams(t *testing.T) {
	t.Parallel()
	s := serve(t)
	r := s.send(t.Context(), "ann", "POST", "/v1/conversations/"+s.conversation("ann")+"/turns", `{"text":"wait"}`, "Accept", "text/event-stream")
	defer r.Body.Close()
	<-s.step
	body := bufio.NewReader(r.Body)
	if _, err := body.Peek(1); err != nil { // the stream has begun
		t.Fatal(err)
	}
	close(s.closing)
	es := events(t, body)
	if len(es) == 0 || es[len(es)-1].Name == "turn.finished" {
		t.Fatalf("the stream ended with %q", names(es))
	}
	turn := s.want(reply{200, nil, string(es[0].Data)}, 200).text("turn")
	if got := s.want(s.do("ann", "GET", "/v1/turns/"+turn, ""), 200); got.text("state") != "running" {
		t.Errorf("the turn is %s", got.text("state"))
	}
	s.release()
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.conversation("ann")
	r := s.send(t.Context(), "ann", "POST", "/v1/conversations/"+c+"/turns", `{"text":"wait"}`, "Accept", "text/event-stream")
	defer r.Body.Close()
	<-s.step
	var turn string
	for e, err := range sse.Read(r.Body) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Name == "turn.started" {
			turn = s.want(reply{200, nil, string(e.Data)}, 200).text("turn")
			s.want(s.do("ann", "POST", "/v1/turns/"+turn+"/cancel", ""), 200)
			s.release()
		}
	}
	if got := s.want(s.do("ann", "GET", "/v1/turns/"+turn, ""), 200); got.text("state") != "stopped" || got.text("reason") != "cancelled" {
		t.Error(got)
	}
}

func TestTurnAsJSON(t *testing.T) {
	t.Parallel()
	s := serve(t)
	got := s.say("ann", "rows")
	if got.text("state") != "completed" || got.text("reason") != "answered" || got.text("text") == "" || got.at("usage", "input") == json.Number("0") {
		t.Error(got)
	}
	if got.text("displays", 0, "view", "view") != "table" || !strings.HasPrefix(got.text("displays", 0, "call"), "tcl_") {
		t.Error(got["displays"])
	}
	if ps, ok := got["proposals"].([]any); !ok || len(ps) != 0 {
		t.Error(got["proposals"])
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	s := serve(t)
	call := s.say("ann", "rows").text("displays", 0, "call")
	path := "/v1/tool-calls/" + call + "/result"
	got := s.want(s.do("ann", "GET", path, ""), 200)
	row, _ := json.Marshal(got.at("rows", 0))
	if string(row) != `[1,"Acme","+47 1","ann","100.10","9007199254740993","2026-01-31","2026-01-31T12:00:00Z"]` {
		t.Errorf("%s", row)
	}
	if got.text("columns", 4, "name") != "credit" || got.text("columns", 4, "label") != "Credit" || got.text("columns", 4, "type") != "decimal" {
		t.Error(got["columns"])
	}
	first := s.want(s.do("ann", "GET", path+"?limit=2", ""), 200)
	second := s.want(s.do("ann", "GET", path+"?limit=2&after="+first.text("next"), ""), 200)
	if first["truncated"] != false || second.at("rows", 0, 0) != json.Number("3") || second["next"] != nil {
		t.Error(first, second)
	}
	csv := s.do("ann", "GET", path+"?format=csv", "")
	want := "id,name,phone,owner,credit,number,since,seen\r\n" +
		"1,Acme,'+47 1,ann,100.10,9007199254740993,2026-01-31,2026-01-31T12:00:00Z\r\n" +
		"2,'=cmd(),'+47 1,ann,100.10,9007199254740993,2026-01-31,2026-01-31T12:00:00Z\r\n" +
		"3,\"Ωmega, \"\"quoted\"\"\",,ann,100.10,9007199254740993,2026-01-31,2026-01-31T12:00:00Z\r\n"
	if csv.body != want || csv.header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(csv.header.Get("Content-Disposition"), call+".csv") {
		t.Errorf("%v\n%q\n%q", csv.header, csv.body, want)
	}
	xlsx := s.do("ann", "GET", path+"?format=xlsx", "")
	if xlsx.status != 200 || !bytes.HasPrefix([]byte(xlsx.body), []byte("PK")) {
		t.Error(xlsx.status, xlsx.header)
	}
}

const shown = `{"hash":%q}`

func TestConfirmOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := object(s.say("ann", "phone").at("proposals", 0).(map[string]any))
	path := "/v1/proposals/" + p.text("id")
	for _, key := range []string{"id", "group", "position", "conversation", "turn", "tool", "state", "hash", "summary", "table", "record", "changes", "warnings", "created_at", "expires_at", "outcome"} {
		if _, ok := p[key]; !ok {
			t.Errorf("no %s in %v", key, p)
		}
	}
	change, _ := json.Marshal(p.at("changes", 0))
	if string(change) != `{"after":"+47 555","before":"+47 1","field":"phone","label":"Phone","record":"1","record_label":"Acme","source":"model","table":"customers","verb":"update"}` {
		t.Errorf("%s", change)
	}
	if p["outcome"] != nil || p.text("state") != "pending" {
		t.Error(p)
	}
	if got := s.want(s.do("ann", "POST", path+"/confirm", `{"hash":"x"}`), 409); got.text("code") != "conflict" {
		t.Error(got)
	}
	body := fmt.Sprintf(shown, p.text("hash"))
	if got := s.want(s.do("ann-mcp", "POST", path+"/confirm", body), 403); got.text("code") != "permission_denied" {
		t.Error(got)
	}
	if s.host.Rows("customers")[0]["phone"] != "+47 1" {
		t.Fatal("a refused confirmation wrote")
	}
	if got := s.want(s.do("ann", "POST", path+"/confirm", body), 200); got.text("state") != "done" || got["outcome"] == nil || got["decided_at"] == nil {
		t.Error(got)
	}
	if s.host.Rows("customers")[0]["phone"] != "+47 555" {
		t.Error("not written")
	}
	if got := s.want(s.do("ann", "POST", path+"/confirm", body), 409); got.text("code") != "already_decided" {
		t.Error(got)
	}
	if got := s.want(s.do("ann", "POST", path+"/reject", ""), 409); got.text("code") != "already_decided" {
		t.Error(got)
	}
}

func (s *server) elsewhere(phone string) {
	s.host.Change("customers", func(rows []query.Row) []query.Row {
		rows[0]["phone"] = phone
		return rows
	})
}

func TestStaleComesWithTheNewProposal(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := object(s.say("ann", "phone").at("proposals", 0).(map[string]any))
	s.elsewhere("+47 9")
	got := s.want(s.do("ann", "POST", "/v1/proposals/"+p.text("id")+"/confirm", fmt.Sprintf(shown, p.text("hash"))), 409)
	if got.text("code") != "stale" || got.text("proposal", "state") != "pending" || got.text("proposal", "changes", 0, "before") != "+47 9" {
		t.Error(got)
	}
	old := s.want(s.do("ann", "GET", "/v1/proposals/"+p.text("id"), ""), 200)
	if old.text("state") != "stale" || old.text("renewed") != got.text("proposal", "id") {
		t.Error(old)
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	s := serve(t)
	turn := s.say("ann", "two")
	group := turn.text("proposals", 0, "group")
	path := "/v1/proposal-groups/" + group
	got := s.want(s.do("ann", "GET", path, ""), 200)
	if got.text("id") != group || got.text("state") != "pending" || got.at("proposals", 1, "position") != json.Number("2") {
		t.Error(got)
	}
	all := fmt.Sprintf(`{"proposals":[{"id":%q,"hash":%q},{"id":%q,"hash":%q}]}`, got.text("proposals", 0, "id"), got.text("proposals", 0, "hash"),
		got.text("proposals", 1, "id"), got.text("proposals", 1, "hash"))
	alone := s.do("ann", "POST", "/v1/proposals/"+got.text("proposals", 0, "id")+"/confirm", fmt.Sprintf(shown, got.text("proposals", 0, "hash")))
	if alone := s.want(alone, 409); alone.text("code") != "conflict" {
		t.Error(alone)
	}
	s.elsewhere("+47 9")
	stale := s.want(s.do("ann", "POST", path+"/confirm", all), 409)
	if stale.text("code") != "stale" || stale.text("group", "state") != "pending" || stale.text("group", "proposals", 1, "state") != "pending" {
		t.Fatal(stale)
	}
	if old := s.want(s.do("ann", "GET", path, ""), 200); old.text("state") != "stale" {
		t.Error(old)
	}
	renewed := "/v1/proposal-groups/" + stale.text("group", "id")
	s.want(s.do("ann", "POST", "/v1/proposals/"+stale.text("group", "proposals", 0, "id")+"/reject", ""), 200)
	left := fmt.Sprintf(`{"proposals":[{"id":%q,"hash":%q}]}`, stale.text("group", "proposals", 1, "id"), stale.text("group", "proposals", 1, "hash"))
	if done := s.want(s.do("ann", "POST", renewed+"/confirm", left), 200); done.text("state") != "done" || done.text("proposals", 0, "state") != "rejected" || done.text("proposals", 1, "state") != "done" {
		t.Error(done)
	}
	if rows := s.host.Rows("customers"); rows[0]["phone"] != "+47 9" || rows[1]["phone"] != "+47 2 2" {
		t.Error(rows)
	}
	again := s.say("ann", "two")
	rejected := s.want(s.do("ann", "POST", "/v1/proposal-groups/"+again.text("proposals", 0, "group")+"/reject", ""), 200)
	if rejected.text("state") != "rejected" || rejected.text("proposals", 0, "state") != "rejected" {
		t.Error(rejected)
	}
}

// What is another person's answers like what does not exist, on every route with an id.
func TestOthers(t *testing.T) {
	t.Parallel()
	s := serve(t)
	turn := s.say("ann", "phone")
	call := s.say("ann", "rows").text("displays", 0, "call")
	p := object(turn.at("proposals", 0).(map[string]any))
	ids := strings.NewReplacer("CNV", turn.text("conversation"), "TRN", turn.text("id"), "PRP", p.text("id"), "GRP", p.text("group"), "TCL", call, "HASH", p.text("hash"))
	missing := strings.NewReplacer("CNV", "cnv_0", "TRN", "trn_0", "PRP", "prp_0", "GRP", "grp_0", "TCL", "tcl_0", "HASH", "x")
	for _, route := range []string{
		"GET /v1/conversations/CNV", "PATCH /v1/conversations/CNV {\"title\":\"x\"}", "DELETE /v1/conversations/CNV", "GET /v1/conversations/CNV/messages",
		"POST /v1/conversations/CNV/turns {\"text\":\"x\"}", "GET /v1/turns/TRN", "GET /v1/turns/TRN/events", "POST /v1/turns/TRN/cancel",
		"GET /v1/proposals/PRP", "POST /v1/proposals/PRP/confirm {\"hash\":\"HASH\"}", "POST /v1/proposals/PRP/reject", "GET /v1/proposal-groups/GRP",
		"POST /v1/proposal-groups/GRP/confirm {\"proposals\":[{\"id\":\"PRP\",\"hash\":\"HASH\"}]}", "POST /v1/proposal-groups/GRP/reject",
		"GET /v1/tool-calls/TCL/result", "GET /v1/tool-calls/TCL/result?format=csv", "GET /debug/prompt?conversation=CNV",
	} {
		ask := func(r *strings.Replacer) reply {
			parts := strings.SplitN(r.Replace(route), " ", 3)
			return s.do("bob", parts[0], parts[1], strings.Join(parts[2:], ""))
		}
		theirs, none := ask(ids), ask(missing)
		if theirs.status != 404 || theirs.body != none.body {
			t.Errorf("%s: %d %s\nwhat does not exist: %d %s", route, theirs.status, theirs.body, none.status, none.body)
		}
	}
	if p := s.want(s.do("ann", "GET", "/v1/proposals/"+p.text("id"), ""), 200); p.text("state") != "pending" {
		t.Error("somebody else decided it:", p)
	}
}

func TestConversations(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var made []string
	for i := range 5 {
		made = append(made, s.want(s.do("ann", "POST", "/v1/conversations", fmt.Sprintf(`{"title":"number %d"}`, i)), 201).text("id"))
	}
	s.conversation("bob")
	var seen []string
	for after := ""; ; {
		l := s.want(s.do("ann", "GET", "/v1/conversations?limit=2"+after, ""), 200)
		for _, c := range l.items() {
			seen = append(seen, object(c.(map[string]any)).text("id"))
		}
		if l["next"] == nil {
			break
		}
		after = "&after=" + l.text("next")
	}
	for i := range made {
		if len(seen) != len(made) || seen[i] != made[len(made)-1-i] {
			t.Fatalf("made %v, listed %v", made, seen)
		}
	}
	if l := s.want(s.do("ann", "GET", "/v1/conversations?term=BER+3", ""), 200); len(l.items()) != 1 || l.text("items", 0, "title") != "number 3" {
		t.Error(l)
	}
	if c := s.want(s.do("ann", "PATCH", "/v1/conversations/"+made[0], `{"title":"renamed"}`), 200); c.text("title") != "renamed" {
		t.Error(c)
	}
	s.want(s.do("ann", "DELETE", "/v1/conversations/"+made[0], ""), 204)
	s.want(s.do("ann", "GET", "/v1/conversations/"+made[0], ""), 404)
}

func TestMessages(t *testing.T) {
	t.Parallel()
	s := serve(t)
	turn := s.say("ann", "rows")
	var roles, parts []string
	for after := ""; ; {
		l := s.want(s.do("ann", "GET", "/v1/conversations/"+turn.text("conversation")+"/messages?limit=2"+after, ""), 200)
		for _, m := range l.items() {
			m := object(m.(map[string]any))
			roles = append(roles, m.text("role"))
			for i := range m["parts"].([]any) {
				parts = append(parts, m.text("parts", i, "type"))
				if m.at("parts", i, m.text("parts", i, "type")) == nil {
					t.Errorf("the part says %s and has none: %v", m.text("parts", i, "type"), m)
				}
				if c := m.text("parts", i, "call", "id"); c != "" && !strings.HasPrefix(c, "tcl_") {
					t.Errorf("call %q", c)
				}
			}
		}
		if l["next"] == nil {
			break
		}
		after = "&after=" + l.text("next")
	}
	if strings.Join(roles, " ") != "person model tool model tool model" || !strings.HasPrefix(strings.Join(parts, " "), "text text call result call result") {
		t.Error(roles, parts)
	}
	prompt := s.want(s.do("ann", "GET", "/debug/prompt?conversation="+turn.text("conversation"), ""), 200)
	if prompt.text("messages", 1, "parts", 1, "call", "id") != "c1" || prompt.text("tools", 0, "name") == "" || prompt.text("system") == "" {
		t.Error(prompt)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	s := serve(t)
	turn := s.say("ann", "phone")
	s.say("bob", "rows")
	l := s.want(s.do("ann", "GET", "/v1/tool-calls?turn="+turn.text("id"), ""), 200)
	row := object(l.at("items", 0).(map[string]any))
	keys := strings.Fields("id seq at person channel conversation turn phase tool kind operation proposal outcome arguments returned bytes truncated class duration_ms error_code prev_hash hash")
	for _, k := range keys {
		if _, ok := row[k]; !ok {
			t.Errorf("no %s", k)
		}
	}
	if len(row) != len(keys) || row.text("person") != "ann" || row.text("outcome") != "proposed" || row.text("proposal") != turn.text("proposals", 0, "id") || row["hash"] != nil {
		t.Error(row)
	}
	count := func(who, filter string) int {
		return len(s.want(s.do(who, "GET", "/v1/tool-calls"+filter, ""), 200).items())
	}
	if own, bobs, all, none := count("ann", ""), count("ann", "?person=bob"), count("ada", "?person=bob"), count("ada", "?outcome=refused"); own != 1 || bobs != 0 || all != 2 || none != 0 {
		t.Error(own, bobs, all, none)
	}
}

func TestMe(t *testing.T) {
	t.Parallel()
	s := serve(t)
	me := s.want(s.do("ann", "GET", "/v1/me", ""), 200)
	if me.text("person", "id") != "ann" || me.text("roles", 0) != "support" || me["confirm"] != true || me["kill_switch"] != nil || me.text("model", "provider") != "scripted" {
		t.Error(me)
	}
	update, _ := json.Marshal(me.at("tables", 0, "update"))
	if me.at("tables", 0, "read") != true || string(update) != `["name","phone"]` || me.at("tables", 0, "create") != false || me.at("tables", 0, "limited") != true || me.text("words", 0) == "" {
		t.Error(me["tables"], me["words"])
	}
	if got := s.want(s.do("nora", "GET", "/v1/me", ""), 403); got.text("code") != "permission_denied" {
		t.Error(got)
	}
}

func TestKillSwitch(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const path = "/v1/admin/kill-switch"
	s.want(s.do("ann", "GET", path, ""), 403)
	s.want(s.do("ann", "PUT", path, `{"all":true,"reason":"x"}`), 403)
	if k := s.want(s.do("omar", "GET", path, ""), 200); k["all"] != false {
		t.Error(k)
	}
	p := object(s.say("ann", "phone").at("proposals", 0).(map[string]any))
	if k := s.want(s.do("omar", "PUT", path, `{"all":true,"reason":"stock-taking"}`), 200); k["all"] != true || k.text("by") != "omar" || k["at"] == nil {
		t.Error(k)
	}
	if got := s.want(s.do("ann", "POST", "/v1/conversations/"+p.text("conversation")+"/turns", `{"text":"x"}`), 503); got.text("code") != "killed" {
		t.Error(got)
	}
	if got := s.want(s.do("ann", "POST", "/v1/proposals/"+p.text("id")+"/confirm", fmt.Sprintf(shown, p.text("hash"))), 503); got.text("code") != "killed" {
		t.Error(got)
	}
	if me := s.want(s.do("ann", "GET", "/v1/me", ""), 200); me.text("kill_switch", "reason") != "stock-taking" {
		t.Error(me)
	}
	s.want(s.do("omar", "PUT", path, `{"reason":"over"}`), 200)
	s.want(s.do("ann", "POST", "/v1/proposals/"+p.text("id")+"/confirm", fmt.Sprintf(shown, p.text("hash"))), 200)
}

func TestDemoPeople(t *testing.T) {
	t.Parallel()
	if got := serve(t).do("", "GET", "/demo/people", ""); got.body != `{"items":[{"name":"Ann","token":"ann","about":"supports"}],"next":null}`+"\n" {
		t.Error(got.body)
	}
}
