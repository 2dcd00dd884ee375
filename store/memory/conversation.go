package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"example.com/deputy"
)

type conversations struct{ *store }

func (s conversations) Create(ctx context.Context, as deputy.Person, c deputy.Conversation) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	k := key{as.Key(), c.ID}
	if _, ok := s.conversations[k]; ok {
		return deputy.Errorf(deputy.Conflict, "There is a conversation of this id already.")
	}
	c.Seq = s.next()
	s.conversations[k] = &conversation{Conversation: kept(c), person: as.Key()}
	return nil
}

// conversation finds one of the person's.
func (s *store) conversation(as deputy.Person, id string) (*conversation, error) {
	if c, ok := s.conversations[key{as.Key(), id}]; ok {
		return c, nil
	}
	return nil, missing("conversation")
}

func (s conversations) Get(ctx context.Context, as deputy.Person, id string) (deputy.Conversation, error) {
	if err := s.enter(ctx); err != nil {
		return deputy.Conversation{}, err
	}
	defer s.leave()
	c, err := s.conversation(as, id)
	if err != nil {
		return deputy.Conversation{}, err
	}
	return kept(c.Conversation), nil
}

func (s conversations) List(ctx context.Context, as deputy.Person, term string, before int64, limit int) ([]deputy.Conversation, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	var own []deputy.Conversation
	for k, c := range s.conversations {
		if k.person == as.Key() {
			own = append(own, c.Conversation)
		}
	}
	slices.SortFunc(own, func(a, b deputy.Conversation) int { return cmp.Compare(a.Seq, b.Seq) })
	term = fold(term)
	return newest(own, limit, func(c deputy.Conversation) bool {
		return (before == 0 || c.Seq < before) && strings.Contains(fold(c.Title), term)
	}), nil
}

func (s conversations) Rename(ctx context.Context, as deputy.Person, id, title string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	c, err := s.conversation(as, id)
	if err != nil {
		return err
	}
	c.Title = title
	return nil
}

func (s conversations) Choose(ctx context.Context, as deputy.Person, id string, choice deputy.Choice) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	c, err := s.conversation(as, id)
	if err != nil {
		return err
	}
	c.Choices = append(slices.DeleteFunc(slices.Clone(c.Choices), func(old deputy.Choice) bool {
		return old.Toolset == choice.Toolset && old.Opening == choice.Opening
	}), choice)
	return nil
}

func (s conversations) Delete(ctx context.Context, as deputy.Person, id string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	c, err := s.conversation(as, id)
	if err != nil {
		return err
	}
	if c.running != nil {
		return deputy.Errorf(deputy.Conflict, "A turn is running in this conversation. Delete it when the turn has ended, or cancel the turn.")
	}
	within := func(p *deputy.Proposal) bool { return p.Owner.Key() == c.person && p.Conversation == id }
	if slices.ContainsFunc(s.proposals, func(p *deputy.Proposal) bool { return within(p) && p.State == deputy.Confirming }) {
		return deputy.Errorf(deputy.Conflict, "A proposal of this conversation is being carried out. Delete it when that is done.")
	}
	delete(s.conversations, key{c.person, id})
	s.proposals = slices.DeleteFunc(s.proposals, within)
	maps.DeleteFunc(s.turns, func(_ string, t *turn) bool {
		gone := t.Person.Key() == c.person && t.Conversation == id
		if gone {
			t.changed()
		}
		return gone
	})
	return nil
}

type messages struct{ *store }

func (s messages) Page(ctx context.Context, as deputy.Person, conversation string, after int64, limit int) ([]deputy.Message, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	c, err := s.conversation(as, conversation)
	if err != nil {
		return nil, err
	}
	from := min(max(after, 0), int64(len(c.messages))) // the one of Seq n stands at n-1
	return page(c.messages[from:], limit, func(deputy.Message) bool { return true }), nil
}

// add numbers messages.
func (c *conversation) add(ms []deputy.Message) {
	for _, m := range ms {
		m = kept(m)
		m.Seq = int64(len(c.messages)) + 1
		c.messages = append(c.messages, m)
	}
}
