package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"

	"example.com/deputy/internal/terminal"
	"github.com/alecthomas/kong"
)

// The exit statuses.
const (
	good   = 0 // it worked
	failed = 1 // the work failed: a database that does not answer, a port that is taken
	wrong  = 2 // the command line or the configuration is wrong
)

// commandLine is every command; its help texts are what `deputy --help` shows.
type commandLine struct {
	Demo       demoCommand  `cmd:"" help:"A complete assistant over a generated sample business, on this machine only."`
	Serve      serveCommand `cmd:"" help:"The server."`
	Init       initCommand  `cmd:"" help:"Draft a configuration from the schema of a database."`
	Check      checkCommand `cmd:"" help:"Validate a configuration and everything it names, without serving."`
	Chat       chatCommand  `cmd:"" help:"The same assistant in a terminal; in a pipe it answers once."`
	Config     configGroup  `cmd:"" help:"About the configuration."`
	KillSwitch killCommand  `cmd:"" name:"kill-switch" help:"Stop every assistant on a store (on), let them go on (off), or say which it is (show)."`
	Version    versionCmd   `cmd:"" help:"Version, commit and build settings; so does deputy --version."`
}

type configGroup struct {
	Schema schemaCommand `cmd:"" help:"Print the JSON Schema of the configuration."`
}

// invocation is what a command has at hand.
type invocation struct {
	ctx         context.Context
	in          io.Reader
	out, errOut io.Writer
}

// usageError is a mistake in the command line.
type usageError struct{ text string }

// Error implements error.
func (e usageError) Error() string { return e.text }

// Main runs the command line until its work is done or ctx ends, and returns the exit status: 0 good, 1 the work failed, 2 the command line or
// the configuration is wrong. Errors go to errOut, one line each, with nothing in them that a terminal would obey.
func Main(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	err := run(invocation{ctx, in, out, errOut}, args)
	var mistakes Mistakes
	var usage usageError
	switch {
	case err == nil:
		return good
	case errors.As(err, &mistakes):
		_, _ = fmt.Fprintln(errOut, terminal.Plain(mistakes.Error()))
		return wrong
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(errOut, "deputy: %s\n", oneLine(usage.text))
		return wrong
	}
	_, _ = fmt.Fprintf(errOut, "deputy: %s\n", oneLine(err.Error()))
	return failed
}

func oneLine(text string) string { return terminal.Plain(strings.Join(strings.Fields(text), " ")) }

// helped ends the parsing of a command line that asked for help.
type helped struct{}

func run(in invocation, args []string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(helped); !ok {
				panic(p)
			}
		}
	}()
	k, err := kong.New(&commandLine{}, kong.Name("deputy"), kong.Writers(in.out, in.errOut), kong.Exit(func(int) { panic(helped{}) }),
		kong.Description("An AI assistant inside a business application: it works as the person who uses it, and only proposes what it would change."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		return err
	}
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"}
	}
	c, err := k.Parse(args)
	if err != nil {
		return usageError{err.Error() + "; deputy --help lists the commands"}
	}
	return c.Run(in)
}

type serveCommand struct {
	ConfigPath string `name:"config" default:"deputy.yaml" help:"The configuration file."`
	Listen     string `help:"Listen here instead of where the configuration says."`
}

// Run serves until it is asked to stop.
func (c *serveCommand) Run(in invocation) error {
	d, err := load(c.ConfigPath)
	if err != nil {
		return err
	}
	if c.Listen != "" {
		if err := c.listens(d.PublicURL); err != nil {
			return err
		}
		d.Listen = c.Listen
	}
	if err := d.mayServe(); err != nil {
		return err
	}
	p, err := build(in.ctx, d, newLog(in.errOut, d.Log, slog.LevelInfo))
	if err != nil {
		return err
	}
	return errors.Join(p.listenAndServe(in, nil), p.Close())
}

// listens refuses an address of the command line that the configuration could not have either.
func (c *serveCommand) listens(publicURL string) error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return usageError{"--listen " + c.Listen + ": write host:port, such as 127.0.0.1:8080"}
	}
	if !loopback(c.Listen) && publicURL == "" {
		return usageError{"--listen " + c.Listen + " can be reached from elsewhere: say under which URL in public_url of the configuration"}
	}
	return nil
}

// mayServe refuses a server that nobody, or anybody, could use, and says where it listens if nothing else does.
func (d *document) mayServe() error {
	if d.Listen == "" {
		d.Listen = "127.0.0.1:8080"
	}
	if len(d.Auth.Tokens) == 0 {
		d.bad("auth.tokens", "nobody could come in: write a token for each person")
	}
	if !loopback(d.Listen) && d.PublicURL == "" {
		d.badValue("listen", "%s can be reached from elsewhere: say under which URL in public_url", d.Listen)
	}
	return d.mistakes.err()
}

type schemaCommand struct{}

// Run prints the schema.
func (*schemaCommand) Run(in invocation) error {
	s, err := jsonSchema()
	if err == nil {
		_, err = fmt.Fprintf(in.out, "%s\n", s)
	}
	return err
}
