package anthropic

import (
	"flag"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/providertest"
)

var _ = flag.Bool("update", false, "rewrite what is held in the files of testdata")

// under is the protocol, as the suite runs it.
func under() providertest.API {
	return providertest.API{
		Dir: "testdata/messages", Carries: true,
		New: func(c providertest.Config) (deputy.Model, error) {
			return New(Config{
				Name: "main", Model: c.Model, BaseURL: providertest.Origin, APIKey: providertest.Key, HTTPClient: c.Client, Strict: c.Strict, Deferred: c.Deferred,
			})
		},
	}
}

func TestMessages(t *testing.T) { t.Parallel(); providertest.Run(t, under()) }

func FuzzMessages(f *testing.F) { providertest.FuzzStream(f, under()) }
