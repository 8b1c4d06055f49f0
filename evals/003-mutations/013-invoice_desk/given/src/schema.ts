// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const SCHEMA = `
CREATE TABLE customers (
  id     INTEGER PRIMARY KEY,
  code   TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name   TEXT NOT NULL CHECK (length(trim(name)) BETWEEN 1 AND 40),
  email  TEXT UNIQUE,
  terms  INTEGER DEFAULT 14 CHECK (terms BETWEEN 0 AND 90),
  parent INTEGER REFERENCES customers (id) ON DELETE SET NULL,
  owed   INTEGER NOT NULL DEFAULT 0,
  CHECK (parent <> id)
);

CREATE TABLE rates (
  code    TEXT PRIMARY KEY COLLATE NOCASE,
  percent INTEGER NOT NULL DEFAULT 19 CHECK (percent < 100)
);

CREATE TABLE invoices (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  customer INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
  number   TEXT UNIQUE,
  issued   TEXT,
  due      TEXT,
  state    TEXT NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'open', 'paid', 'void')),
  total    INTEGER DEFAULT 0,
  paid     INTEGER NOT NULL DEFAULT 0 CHECK (paid >= 0),
  note     TEXT
);

CREATE UNIQUE INDEX one_draft ON invoices (customer) WHERE state = 'draft';

CREATE TABLE lines (
  id       INTEGER PRIMARY KEY,
  invoice  INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
  text     TEXT DEFAULT 'Work',
  quantity INTEGER NOT NULL CHECK (quantity <> 0),
  price    INTEGER NOT NULL,
  rate     TEXT REFERENCES rates (code) ON UPDATE CASCADE ON DELETE SET NULL,
  tax      INTEGER
);

CREATE TABLE instalments (
  invoice  INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  due      TEXT NOT NULL,
  cents    INTEGER NOT NULL,
  PRIMARY KEY (invoice, position)
);

CREATE TABLE payments (
  id      INTEGER PRIMARY KEY,
  invoice INTEGER REFERENCES invoices (id),
  ref     TEXT,
  paid_on TEXT NOT NULL,
  cents   INTEGER NOT NULL CHECK (typeof(cents) = 'integer' AND cents <> 0),
  method  TEXT DEFAULT 'transfer',
  UNIQUE (ref, method)
);

CREATE TABLE reminders (
  invoice INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
  level   INTEGER,
  sent    TEXT NOT NULL,
  fee     INTEGER,
  times   INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (invoice, level)
);

CREATE TABLE journal (
  id    INTEGER PRIMARY KEY,
  kind  TEXT NOT NULL,
  ref   TEXT,
  day   TEXT,
  cents INTEGER,
  UNIQUE (kind, ref)
);

CREATE TRIGGER lines_of_drafts BEFORE INSERT ON lines
WHEN (SELECT state FROM invoices WHERE id = NEW.invoice) <> 'draft'
BEGIN
  SELECT RAISE(ABORT, 'the invoice is issued');
END;

CREATE TRIGGER lines_added AFTER INSERT ON lines
BEGIN
  UPDATE lines
     SET tax = NEW.quantity * NEW.price * (SELECT percent FROM rates WHERE code = NEW.rate) / 100
   WHERE id = NEW.id;
  UPDATE invoices
     SET total = total + NEW.quantity * NEW.price
               + ifnull((SELECT tax FROM lines WHERE id = NEW.id), 0)
   WHERE id = NEW.invoice;
END;

CREATE TRIGGER lines_changed AFTER UPDATE OF quantity, price, rate ON lines
BEGIN
  UPDATE lines
     SET tax = NEW.quantity * NEW.price * (SELECT percent FROM rates WHERE code = NEW.rate) / 100
   WHERE id = NEW.id;
  UPDATE invoices
     SET total = (SELECT sum(quantity * price + tax) FROM lines WHERE invoice = NEW.invoice)
   WHERE id = NEW.invoice;
END;

CREATE TRIGGER lines_removed AFTER DELETE ON lines
BEGIN
  UPDATE invoices
     SET total = (SELECT sum(quantity * price + ifnull(tax, 0)) FROM lines
                   WHERE invoice = OLD.invoice)
   WHERE id = OLD.invoice;
END;

CREATE TRIGGER numbers_stay BEFORE DELETE ON invoices
WHEN OLD.number IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'a number must not get lost');
END;

CREATE TRIGGER owed_follows AFTER UPDATE OF state ON invoices
BEGIN
  UPDATE customers
     SET owed = (SELECT ifnull(sum(total - paid), 0) FROM invoices
                  WHERE customer = NEW.customer AND state = 'open')
   WHERE id = NEW.customer;
END;

CREATE TRIGGER payments_added AFTER INSERT ON payments
BEGIN
  INSERT OR REPLACE INTO journal (kind, ref, day, cents)
  VALUES ('payment', NEW.ref, NEW.paid_on, NEW.cents);
  UPDATE invoices SET paid = paid + NEW.cents WHERE id = NEW.invoice;
  UPDATE invoices
     SET state = CASE WHEN paid >= total THEN 'paid' ELSE 'open' END
   WHERE id = NEW.invoice AND state NOT IN ('draft', 'void');
END;

CREATE TRIGGER payments_removed AFTER DELETE ON payments
BEGIN
  INSERT INTO journal (kind, ref, day, cents)
  VALUES ('removal', OLD.ref, OLD.paid_on, -OLD.cents);
  UPDATE invoices
     SET paid = paid - OLD.cents,
         state = CASE WHEN state <> 'paid' OR paid >= total THEN state ELSE 'open' END
   WHERE id = OLD.invoice;
END;
`;
