package app

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/deputy/internal/demo"
)

// TestStoreIsAFileOfItsOwn: neither checking nor serving puts Deputy's tables into somebody else's database.
func TestStoreIsAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shop, other, empty := filepath.Join(dir, "shop.db"), filepath.Join(dir, "other.db"), filepath.Join(dir, "empty.db")
	for _, path := range []string{shop, other} {
		if _, err := demo.Create(t.Context(), path, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(shop, filepath.Join(dir, "link.db")); err != nil {
		t.Fatal(err)
	}
	for store, want := range map[string]string{shop: "this is the application's database", filepath.Join(dir, "link.db"): "this is the application's database", other: "is a database with other tables in it", empty: ""} {
		config := filepath.Join(dir, filepath.Base(store)+".yaml")
		text := "store: sqlite:" + store + "\nhost: { database: sqlite:" + shop + " }\nmodels: [ { name: m, provider: offline } ]\nauth: { tokens: [ { token: t, id: a, roles: [r] } ] }\npolicy: { roles: { r: { tools: [\"*\"] } } }\n"
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before := sum(t, store)
		status, _, said := deputyCommand(t, "check", "--config", config)
		if sum(t, store) != before {
			t.Errorf("%s: checking has written into it", store)
		}
		if want == "" && status != good || want != "" && (status != wrong || !strings.Contains(said, want) || !strings.Contains(said, "store")) {
			t.Errorf("%s: status %d: %s", store, status, said)
		}
	}
}

func sum(t *testing.T, path string) [32]byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(raw)
}
