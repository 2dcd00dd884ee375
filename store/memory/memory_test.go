package memory_test

import (
	"testing"

	"example.com/deputy"
	"example.com/deputy/store/memory"
	"example.com/deputy/store/storetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) deputy.Store { return memory.New() })
}
