package openai

import (
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/providertest"
)

// under is one of the two protocols, as the suite runs it.
func under(api API) providertest.API {
	return providertest.API{
		Dir: "testdata/" + string(api), Carries: api == Responses,
		New: func(c providertest.Config) (deputy.Model, error) {
			return New(Config{
				Name: "main", Model: c.Model, API: api, BaseURL: providertest.Origin + "/v1", APIKey: providertest.Key,
				HTTPClient: c.Client, Strict: c.Strict, Deferred: c.Deferred && api == Responses,
			})
		},
	}
}

func TestChat(t *testing.T)      { t.Parallel(); providertest.Run(t, under(Chat)) }
func TestResponses(t *testing.T) { t.Parallel(); providertest.Run(t, under(Responses)) }

func FuzzChat(f *testing.F)      { providertest.FuzzStream(f, under(Chat)) }
func FuzzResponses(f *testing.F) { providertest.FuzzStream(f, under(Responses)) }
