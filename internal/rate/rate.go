// Package rate limits how often something is done a minute, by key, on a clock that is handed in.
package rate

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limiter allows each key a number of events a minute, that many at once. It is safe for concurrent use.
type Limiter struct {
	perMinute int
	mu        sync.Mutex
	keys      map[string]*rate.Limiter
	swept     time.Time
}

// New makes a limiter; zero or less means no limit.
func New(perMinute int) *Limiter {
	return &Limiter{perMinute: perMinute, keys: map[string]*rate.Limiter{}}
}

// Allow says whether an event of the key may happen now, and counts it if so.
func (l *Limiter) Allow(key string, now time.Time) bool {
	if l.perMinute <= 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(now)
	k, ok := l.keys[key]
	if !ok {
		k = rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
		l.keys[key] = k
	}
	return k.AllowN(now, 1)
}

// sweep forgets, once a minute, the keys that have all of their events back.
func (l *Limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Minute {
		return
	}
	l.swept = now
	for key, k := range l.keys {
		if k.TokensAt(now) >= float64(l.perMinute) {
			delete(l.keys, key)
		}
	}
}
