package sqlite_test

import (
	"path/filepath"
	"testing"

	"example.com/deputy"
	"example.com/deputy/store/sqlite"
	"example.com/deputy/store/storetest"
)

func open(t *testing.T, dir string) deputy.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "deputy.db"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) deputy.Store {
		s := open(t, t.TempDir())
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}

func TestShared(t *testing.T) {
	t.Parallel()
	storetest.RunShared(t, open)
}
