package hosttest

import "testing"

func testRandom(t *testing.T, open Open) {}
