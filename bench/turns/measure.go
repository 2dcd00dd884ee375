package main

import (
	"errors"
	"slices"
	"sync"
	"time"

	"example.com/deputy/bench/turns/fake"
)

// speed is what was measured of one server with a number of people asking at once.
type speed struct {
	perSecond float64
	median    time.Duration
	p99       time.Duration
	cpu       time.Duration // of the server, a turn
}

// perTurn is the time a turn takes: of one person's, with so many at once.
func (s speed) perTurn(people int) time.Duration {
	return time.Duration(float64(people) / s.perSecond * float64(time.Second))
}

// ask lets people take turns, each one after the other, for a while.
func ask(s *server, people int, last string, during time.Duration) (speed, error) {
	clients := make([]*client, people)
	for i := range clients {
		c, err := dial(s.address)
		if err != nil {
			return speed{}, err
		}
		defer func() { _ = c.close() }()
		if err := c.turn(last); err != nil {
			return speed{}, err
		}
		clients[i] = c
	}
	before, err := s.cpu()
	if err != nil {
		return speed{}, err
	}
	times, errs := make([][]time.Duration, people), make([]error, people)
	begin := time.Now()
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() { times[i], errs[i] = c.several(last, begin.Add(during)) })
	}
	wg.Wait()
	took := time.Since(begin)
	after, err := s.cpu()
	all := slices.Concat(times...)
	if err := errors.Join(append(errs, err)...); err != nil || len(all) == 0 {
		return speed{}, err
	}
	slices.Sort(all)
	return speed{float64(len(all)) / took.Seconds(), all[len(all)/2], all[len(all)*99/100], (after - before) / time.Duration(len(all))}, nil
}

// several takes turns until a moment, at least one.
func (c *client) several(last string, until time.Time) (times []time.Duration, err error) {
	for {
		begin := time.Now()
		if err := c.turn(last); err != nil {
			return nil, err
		}
		end := time.Now()
		if times = append(times, end.Sub(begin)); end.After(until) {
			return times, nil
		}
	}
}

// space is what one server needs, in bytes: after some turns, and with many streams open besides.
type space struct{ idle, open int }

// hold opens streams, which then wait, and looks how much memory the server has.
func hold(s *server, streams int, last string, settle time.Duration) (out space, err error) {
	if _, err := ask(s, 4, last, settle); err != nil {
		return out, err
	}
	if out.idle, err = s.resident(); err != nil {
		return out, err
	}
	var clients []*client
	defer func() {
		for _, c := range clients {
			_ = c.close()
		}
	}()
	for range streams {
		c, err := dial(s.address)
		if err != nil {
			return out, err
		}
		clients = append(clients, c)
		if err := c.hold(fake.Hold); err != nil {
			return out, err
		}
	}
	time.Sleep(settle) // what was needed only to begin may be given back
	out.open, err = s.resident()
	return out, err
}
