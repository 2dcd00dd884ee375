package sqlite

import "database/sql"

// Pools are the connections of the store, by what they are for: reads and writes. The one that writes is always in use.
func (s settings) Pools() map[string]sql.DBStats {
	return map[string]sql.DBStats{"reads": s.readers.Stats(), "writes": s.writers.Stats()}
}
