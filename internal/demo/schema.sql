-- The sample business: a trader of outdoor equipment and its customers. A file of another version is made anew.
PRAGMA user_version = 2;
CREATE TABLE employees (
  id          INTEGER PRIMARY KEY,
  first_name  TEXT NOT NULL,
  last_name   TEXT NOT NULL,
  title       TEXT NOT NULL,
  department  TEXT NOT NULL CHECK (department IN ('management', 'sales', 'support', 'warehouse', 'finance')),
  manager_id  INTEGER REFERENCES employees (id),
  email       TEXT NOT NULL UNIQUE,
  phone       TEXT,
  hired_on    DATE NOT NULL,
  salary      NUMERIC(12,2) NOT NULL CHECK (salary > 0),
  active      BOOLEAN NOT NULL DEFAULT 1 CHECK (active IN (0, 1))
);

CREATE TABLE customers (
  id              INTEGER PRIMARY KEY,
  number          TEXT NOT NULL UNIQUE,
  name            TEXT NOT NULL,
  segment         TEXT NOT NULL DEFAULT 'shop' CHECK (segment IN ('shop', 'chain', 'school', 'club', 'public')),
  country         TEXT NOT NULL,
  city            TEXT NOT NULL,
  email           TEXT,
  phone           TEXT,
  support_rep_id  INTEGER REFERENCES employees (id),
  credit_limit    NUMERIC(12,2) NOT NULL DEFAULT 5000,
  preferences     JSON,
  since           DATE NOT NULL,
  active          BOOLEAN NOT NULL DEFAULT 1 CHECK (active IN (0, 1))
);
CREATE INDEX customers_rep ON customers (support_rep_id);

CREATE TABLE contacts (
  id           INTEGER PRIMARY KEY,
  customer_id  INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
  first_name   TEXT NOT NULL,
  last_name    TEXT NOT NULL,
  position     TEXT,
  email        TEXT,
  phone        TEXT,
  main         BOOLEAN NOT NULL DEFAULT 0 CHECK (main IN (0, 1))
);
CREATE INDEX contacts_customer ON contacts (customer_id);

CREATE TABLE categories (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  parent_id  INTEGER REFERENCES categories (id)
);

CREATE TABLE products (
  id            INTEGER PRIMARY KEY,
  sku           TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  category_id   INTEGER NOT NULL REFERENCES categories (id),
  unit_price    NUMERIC(12,2) NOT NULL CHECK (unit_price >= 0),
  cost          NUMERIC(12,2) NOT NULL CHECK (cost >= 0),
  stock         INTEGER NOT NULL DEFAULT 0,
  details       JSON,
  discontinued  BOOLEAN NOT NULL DEFAULT 0 CHECK (discontinued IN (0, 1))
);
CREATE INDEX products_category ON products (category_id);

CREATE TABLE orders (
  id             INTEGER PRIMARY KEY,
  number         TEXT NOT NULL UNIQUE,
  customer_id    INTEGER NOT NULL REFERENCES customers (id),
  employee_id    INTEGER REFERENCES employees (id),
  status         TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'confirmed', 'shipped', 'delivered', 'cancelled')),
  ordered_at     TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  shipped_at     TIMESTAMP,
  currency       TEXT NOT NULL DEFAULT 'EUR' CHECK (currency IN ('EUR')),
  note           TEXT,
  cancel_reason  TEXT CHECK (cancel_reason IN ('no longer needed', 'ordered by mistake', 'delivery takes too long'))
);
CREATE INDEX orders_customer ON orders (customer_id);
CREATE INDEX orders_ordered ON orders (ordered_at);

CREATE TABLE order_lines (
  id          INTEGER PRIMARY KEY,
  order_id    INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
  position    INTEGER NOT NULL,
  product_id  INTEGER NOT NULL REFERENCES products (id),
  quantity    INTEGER NOT NULL CHECK (quantity > 0),
  unit_price  NUMERIC(12,2) NOT NULL CHECK (unit_price >= 0),
  discount    NUMERIC(5,2) NOT NULL DEFAULT 0 CHECK (discount BETWEEN 0 AND 100),
  returned    BOOLEAN NOT NULL DEFAULT 0 CHECK (returned IN (0, 1)),
  cancelled   BOOLEAN NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
  UNIQUE (order_id, position)
);
CREATE INDEX order_lines_product ON order_lines (product_id);

CREATE TABLE invoices (
  id           INTEGER PRIMARY KEY,
  number       TEXT NOT NULL UNIQUE,
  order_id     INTEGER NOT NULL REFERENCES orders (id),
  customer_id  INTEGER NOT NULL REFERENCES customers (id),
  issued_on    DATE NOT NULL,
  due_on       DATE NOT NULL,
  status       TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'sent', 'paid', 'overdue', 'credited')),
  total        NUMERIC(12,2) NOT NULL
);
CREATE INDEX invoices_customer ON invoices (customer_id);
CREATE INDEX invoices_order ON invoices (order_id);

CREATE TABLE payments (
  id          INTEGER PRIMARY KEY,
  invoice_id  INTEGER NOT NULL REFERENCES invoices (id),
  paid_on     DATE NOT NULL,
  amount      NUMERIC(12,2) NOT NULL CHECK (amount > 0),
  method      TEXT NOT NULL CHECK (method IN ('transfer', 'card', 'direct debit')),
  reference   TEXT
);
CREATE INDEX payments_invoice ON payments (invoice_id);

CREATE TABLE refunds (
  id           INTEGER PRIMARY KEY,
  invoice_id   INTEGER NOT NULL UNIQUE REFERENCES invoices (id),
  amount       NUMERIC(12,2) NOT NULL CHECK (amount > 0),
  reason       TEXT NOT NULL CHECK (reason IN ('returned', 'damaged', 'never arrived', 'goodwill')),
  refunded_on  DATE NOT NULL
);

CREATE TABLE tickets (
  id           INTEGER PRIMARY KEY,
  customer_id  INTEGER NOT NULL REFERENCES customers (id),
  contact_id   INTEGER REFERENCES contacts (id),
  order_id     INTEGER REFERENCES orders (id),
  employee_id  INTEGER REFERENCES employees (id),
  subject      TEXT NOT NULL,
  status       TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'waiting', 'solved', 'closed')),
  priority     TEXT NOT NULL DEFAULT 'normal' CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  opened_at    TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  closed_at    TIMESTAMP
);
CREATE INDEX tickets_customer ON tickets (customer_id);
CREATE INDEX tickets_order ON tickets (order_id);

CREATE TABLE ticket_notes (
  id             INTEGER PRIMARY KEY,
  ticket_id      INTEGER NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
  employee_id    INTEGER REFERENCES employees (id),
  from_customer  BOOLEAN NOT NULL DEFAULT 0 CHECK (from_customer IN (0, 1)),
  body           TEXT NOT NULL,
  written_at     TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX ticket_notes_ticket ON ticket_notes (ticket_id);
