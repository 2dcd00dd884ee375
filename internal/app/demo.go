package app

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"example.com/deputy/internal/demo"
	"example.com/deputy/transport/api"
)

//go:embed demo.yaml
var demoYAML []byte

type demoCommand struct {
	Listen   string `default:"127.0.0.1:8080" help:"Where to listen; a loopback address."`
	Dir      string `help:"Where the sample business and the conversations are kept; a folder in the user's cache if absent."`
	Open     bool   `help:"Open the page in a browser."`
	ModelURL string `name:"model-url" help:"An OpenAI-compatible server, such as http://127.0.0.1:11434/v1. Without it, and without OPENAI_API_KEY or ANTHROPIC_API_KEY, the built-in offline model answers."`
	Model    string `help:"The model's name there; its first if absent."`
}

// Run makes the sample where it is missing and serves it.
func (c *demoCommand) Run(in invocation) error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return usageError{"--listen " + c.Listen + ": write host:port, such as 127.0.0.1:8080"}
	}
	if u, err := url.Parse(c.ModelURL); c.ModelURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return usageError{"--model-url " + c.ModelURL + ": write a whole URL, such as http://127.0.0.1:11434/v1"}
	}
	if !loopback(c.Listen) {
		return usageError{"--listen " + c.Listen + ": the demo's tokens are public, so it listens on this machine only; write 127.0.0.1:PORT"}
	}
	d, err := c.prepare(in)
	if err != nil {
		return err
	}
	p, err := build(in.ctx, d, newLog(in.errOut, d.Log, slog.LevelWarn))
	if err != nil {
		return err
	}
	return errors.Join(p.listenAndServe(in, c), p.Close())
}

// prepare makes the sample and reads its configuration.
func (c *demoCommand) prepare(in invocation) (*document, error) {
	if err := c.folder(); err != nil {
		return nil, err
	}
	database := filepath.Join(c.Dir, "business.db")
	made, err := demo.Create(in.ctx, database, time.Now())
	if err != nil {
		return nil, fmt.Errorf("%w; choose another folder with --dir", err)
	}
	if made {
		debug.FreeOSMemory() // the rows were made in memory
	}
	values := map[string]string{
		"DEMO_DATABASE": database, "DEMO_STORE": filepath.Join(c.Dir, "deputy.db"), "DEMO_EMPLOYEE": strconv.Itoa(demo.AgentID),
	}
	d, err := parse("demo.yaml", demoYAML, func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	})
	if err != nil {
		return nil, err
	}
	d.Listen = c.Listen
	d.Models, err = c.models(in.ctx, os.Getenv)
	return d, err
}

func (c *demoCommand) folder() error {
	if c.Dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return usageError{"no folder for the sample: name one with --dir"}
		}
		c.Dir = filepath.Join(cache, "deputy-demo")
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("the folder of the sample: %w; choose another with --dir", err)
	}
	return nil
}

// listenAndServe opens the address, says where the page is, and serves. c is the demo's, nil elsewhere.
func (p *parts) listenAndServe(in invocation, c *demoCommand) error {
	l, err := listen(in.ctx, p.Listen, "--listen or the key listen")
	if err != nil {
		return err
	}
	url := "http://" + l.Addr().String() + "/"
	if c == nil {
		p.log.Info("serving", "url", url, "public_url", p.PublicURL, "model", p.models[0].Info().Name)
		return p.serveAll(in.ctx, l, nil)
	}
	info := p.models[0].Info()
	model := info.Model
	if info.Offline {
		model = "offline, built-in rules and no language model (set OPENAI_API_KEY, ANTHROPIC_API_KEY or --model-url for a real one)"
	}
	if _, err := fmt.Fprintf(in.out, "Deputy demo: %s\nmodel: %s\nkept in: %s\nstop with Ctrl-C\n", url, model, c.Dir); err != nil {
		return err
	}
	if c.Open {
		openBrowser(in.ctx, url)
	}
	return p.serveAll(in.ctx, l, p.people())
}

// openBrowser asks the desktop to show a page; where there is none, the URL is on the screen already.
func openBrowser(ctx context.Context, url string) {
	command := map[string][]string{"darwin": {"open", url}, "windows": {"rundll32", "url.dll,FileProtocolHandler", url}}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open", url}
	}
	if cmd := exec.CommandContext(ctx, command[0], command[1:]...); cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}

// people are those the page lets anybody be. The tokens are public: the demo listens on loopback, over made-up data.
func (p *parts) people() []api.DemoPerson {
	about := map[string]string{
		"agent":   "sees their own customers, may change a little",
		"manager": "sees and may change everything",
		"auditor": "sees everything, changes nothing, reads the log",
	}
	var out []api.DemoPerson
	for _, t := range p.Auth.Tokens {
		out = append(out, api.DemoPerson{Token: t.Token, Name: t.Name, About: about[t.ID]})
	}
	return out
}
