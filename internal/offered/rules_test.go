package offered

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/deputy/internal/strictrules"
)

// toolName is what every vendor takes for the name of a tool.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// The other limits of a request.
const (
	mostDescribed = 1024 // characters of a description, at the strictest of those who speak OpenAI's protocol
	mostTools     = 128  // of OpenAI
	mostMarks     = 4    // of what is to be cached, of Anthropic
)

// refused says what of a request its vendor would refuse.
func refused(r request) (wrong []string) {
	say := func(t tool, lines ...string) {
		for _, line := range lines {
			wrong = append(wrong, t.Name+" "+strings.TrimSpace(line))
		}
	}
	theirs := strings.HasPrefix(r.Model, "anthropic")
	var sum strictrules.Counts
	ready, marks := false, strings.Count(string(r.Body), `"cache_control":`)
	for i, t := range append(slices.Clone(r.tools), defined(r.result)...) {
		if !toolName.MatchString(t.Name) || slices.ContainsFunc(r.tools[:min(i, len(r.tools))], func(o tool) bool { return o.Name == t.Name }) {
			say(t, "is no name, or stands twice")
		}
		if t.Description == "" || utf8.RuneCountInString(t.Description) > mostDescribed {
			say(t, fmt.Sprintf("has a description of %d characters", utf8.RuneCountInString(t.Description)))
		}
		if t.Deferred && t.Cache {
			say(t, "is deferred and marks what is to be cached")
		}
		ready = ready || !t.Deferred
		switch {
		case t.Strict && theirs:
			sum = sum.With(t.Schema)
			say(t, strictrules.Anthropic(t.Schema)...)
		case t.Strict:
			say(t, strictrules.OpenAI(t.Schema)...)
		}
	}
	if over := sum.Over(); over != "" {
		wrong = append(wrong, over)
	}
	if len(r.tools) > mostTools || !ready || marks > mostMarks {
		wrong = append(wrong, fmt.Sprintf("%d tools, one that is not deferred: %v, %d marks", len(r.tools), ready, marks))
	}
	return wrong
}

// defined are the tools of a result whose definitions stand there.
func defined(result []tool) (out []tool) {
	for _, t := range result {
		if t.Schema != nil {
			out = append(out, t)
		}
	}
	return out
}
