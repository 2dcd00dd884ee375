package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// perConversation is how many turns a person takes in a conversation before the next begins: history is part of the work.
const perConversation = 10

// client is one person's connection, kept open. It reads events no further than it must, so that little of the time is its own.
type client struct {
	conn         net.Conn
	in           *bufio.Reader
	address      string
	conversation string
	turns        int
}

func dial(address string) (*client, error) {
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, in: bufio.NewReader(conn), address: address}, nil
}

func (c *client) close() error { return c.conn.Close() }

func (c *client) post(path, accept, body string) (*http.Response, error) {
	if err := c.conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return nil, err
	}
	_, err := fmt.Fprintf(c.conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s",
		path, c.address, accept, len(body), body)
	if err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 {
		text, err := io.ReadAll(res.Body)
		return nil, errors.Join(fmt.Errorf("POST %s: %s: %s", path, res.Status, text), err)
	}
	return res, nil
}

func (c *client) begin() error {
	res, err := c.post("/v1/conversations", "application/json", "{}")
	if err != nil {
		return err
	}
	var conversation struct{ ID string }
	if err := json.NewDecoder(res.Body).Decode(&conversation); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	c.conversation, c.turns = conversation.ID, 0
	return nil
}

// ask begins a turn; what it answers is the stream.
func (c *client) ask(text string) (io.Reader, error) {
	if c.conversation == "" || c.turns == perConversation {
		if err := c.begin(); err != nil {
			return nil, err
		}
	}
	c.turns++
	res, err := c.post("/v1/conversations/"+c.conversation+"/turns", "text/event-stream", `{"text":"`+text+`"}`)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// turn takes a whole turn, whose answer must end with the word that it should.
func (c *client) turn(last string) error {
	stream, err := c.ask("Which orders are open?")
	if err != nil {
		return err
	}
	text, err := io.ReadAll(stream)
	if err != nil {
		return err
	}
	_, end, found := bytes.Cut(text, []byte("event: turn.finished\n"))
	if !found || !bytes.Contains(end, []byte(`"answered"`)) || !bytes.Contains(end, []byte(last)) || !bytes.Contains(text, []byte("event: tool.finished\n")) {
		return fmt.Errorf("this is no whole turn: %s", text)
	}
	return nil
}

// hold begins a turn that falls silent, and reads its first event.
func (c *client) hold(text string) error {
	stream, err := c.ask(text)
	if err != nil {
		return err
	}
	event := make([]byte, 1<<10)
	n, err := stream.Read(event)
	if err != nil || !strings.Contains(string(event[:n]), "turn.started") {
		return fmt.Errorf("the stream began with %q, %w", event[:n], err)
	}
	return nil
}
