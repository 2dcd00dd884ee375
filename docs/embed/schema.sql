CREATE TABLE IF NOT EXISTS customers (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL,
  region  TEXT NOT NULL CHECK (region IN ('north', 'south'))
);

CREATE TABLE IF NOT EXISTS invoices (
  id           INTEGER PRIMARY KEY,
  customer_id  INTEGER NOT NULL REFERENCES customers (id),
  amount       NUMERIC(12,2) NOT NULL,
  due_on       DATE NOT NULL,
  paid_on      DATE
);

INSERT OR IGNORE INTO customers VALUES (1, 'Nordlys AS', 'north'), (2, 'Fjell & Fjord', 'north'), (3, 'Solana', 'south');
INSERT OR IGNORE INTO invoices VALUES
  (10, 1, 1200.00, '2025-11-30', NULL), (11, 1, 80.50, '2025-12-15', '2025-12-12'), (12, 2, 310.00, '2025-12-20', NULL), (13, 3, 99.90, '2025-12-01', NULL);
