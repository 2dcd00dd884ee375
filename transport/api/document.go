package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

func configuration(version string) huma.Config {
	c := huma.DefaultConfig("Deputy", version)
	c.Info.Description = "An assistant inside a business application, working as the person who uses it. Errors are RFC 9457 problems with a `code`."
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil // no $schema links in answers
	c.RejectUnknownQueryParameters = true
	c.Formats = map[string]huma.Format{"application/json": {Marshal: encode, Unmarshal: decode}}
	c.Formats["json"] = c.Formats["application/json"]
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Transformers = []huma.Transformer{asProblem}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer"}}
	return c
}

// schemaName is the name of a type in the document: Turn for turnJSON.
func schemaName(t reflect.Type, hint string) string {
	return strings.ReplaceAll(huma.DefaultSchemaNamer(t, hint), "JSON", "")
}

// document serves the OpenAPI description, made once.
func document(doc *huma.OpenAPI) http.Handler {
	describeProblems(doc)
	loosen(doc.Components.Schemas.Map())
	text, err := json.Marshal(doc)
	if err != nil {
		panic("api: the OpenAPI document does not marshal: " + err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text) // a reader that is gone is not ours to mend
	})
}

// describeProblems documents the form of errors on every operation, instead of huma's.
func describeProblems(doc *huma.OpenAPI) {
	schema := doc.Components.Schemas.Schema(typeOf[problem](), true, "Problem")
	answer := &huma.Response{Description: "A problem", Content: map[string]*huma.MediaType{"application/problem+json": {Schema: schema}}}
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			for status := range op.Responses {
				if n, err := strconv.Atoi(status); err == nil && n >= 400 {
					delete(op.Responses, status)
				}
			}
			op.Responses["default"] = answer
		}
	}
}

// loosen says of answers what is true of them: lists are never null, the kill switch may be, and a later version may add keys. What is
// sent to the server stays strict.
func loosen(schemas map[string]*huma.Schema) {
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	for name, s := range schemas {
		if strings.HasSuffix(name, "InputBody") || name == "Screen" || name == "Shown" {
			continue
		}
		s.AdditionalProperties = nil
		for _, p := range s.Properties {
			if p.Type == huma.TypeArray {
				p.Nullable = false
			}
		}
	}
	me := schemas["Me"].Properties
	me["kill_switch"] = &huma.Schema{OneOf: []*huma.Schema{me["kill_switch"], {Type: "null"}}}
}
