package query

import "sync"

// Parser is Parse that remembers what it has read lately: a text means the same whoever asks it. The zero one is ready, and may be used by several
// goroutines.
type Parser struct {
	mu   sync.Mutex
	kept map[string]*Source
}

// Bounds of what a Parser remembers: texts, and the bytes of one.
const (
	maxParsed = 2000
	maxKept   = 1 << 10
)

// Parse is the function of this name. Mistakes are not remembered.
func (p *Parser) Parse(text string) (*Source, error) {
	p.mu.Lock()
	src, ok := p.kept[text]
	p.mu.Unlock()
	if ok {
		return src, nil
	}
	src, err := Parse(text)
	if err != nil || len(text) > maxKept {
		return src, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil || len(p.kept) >= maxParsed {
		p.kept = map[string]*Source{}
	}
	p.kept[text] = src
	return src, nil
}
