package guard

import (
	"sync"

	"example.com/deputy/query"
)

// parsed keeps what was parsed lately: a text means the same whoever asks it.
type parsed struct {
	mu   sync.Mutex
	kept map[string]*query.Source
}

// Bounds of what is kept: texts, and the bytes of one.
const (
	maxParsed = 1000
	maxKept   = 1 << 10
)

func (p *parsed) parse(text string) (*query.Source, error) {
	p.mu.Lock()
	src, ok := p.kept[text]
	p.mu.Unlock()
	if ok {
		return src, nil
	}
	src, err := query.Parse(text)
	if err != nil || len(text) > maxKept {
		return src, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil || len(p.kept) >= maxParsed {
		p.kept = map[string]*query.Source{}
	}
	p.kept[text] = src
	return src, nil
}
