package rate_test

import (
	"testing"
	"time"

	"example.com/deputy/internal/rate"
)

func TestAllow(t *testing.T) {
	t.Parallel()
	l, now := rate.New(3), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 3 {
		if !l.Allow("a", now) {
			t.Fatalf("event %d of 3 refused", i+1)
		}
	}
	if l.Allow("a", now) {
		t.Error("a fourth event in the same moment")
	}
	if !l.Allow("b", now) {
		t.Error("another key is limited along")
	}
	if l.Allow("a", now.Add(19*time.Second)) || !l.Allow("a", now.Add(21*time.Second)) {
		t.Error("one event comes back every 20 seconds")
	}
	if !l.Allow("a", now.Add(time.Hour)) {
		t.Error("after an hour all is back")
	}
	if !rate.New(0).Allow("a", now) {
		t.Error("zero means no limit")
	}
}
