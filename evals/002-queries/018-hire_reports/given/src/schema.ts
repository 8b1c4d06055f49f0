// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const SCHEMA = `
CREATE TABLE sites (
  id     INTEGER PRIMARY KEY,
  name   TEXT NOT NULL COLLATE NOCASE,
  region TEXT,
  opened TEXT
);

CREATE TABLE items (
  id      INTEGER PRIMARY KEY,
  sku     TEXT NOT NULL UNIQUE,
  title   TEXT COLLATE NOCASE,
  kind    TEXT,
  site    INTEGER REFERENCES sites (id),
  daily   INTEGER NOT NULL,              -- cents
  weight  REAL,                          -- kilograms
  stock   INTEGER NOT NULL,
  retired TEXT
);

-- Moments are written YYYY-MM-DD HH:MM, days YYYY-MM-DD.
CREATE TABLE bookings (
  id       INTEGER PRIMARY KEY,
  item     INTEGER NOT NULL REFERENCES items (id),
  customer TEXT COLLATE NOCASE,
  starts   TEXT NOT NULL,                -- a moment
  ends     TEXT,                         -- a moment
  units    INTEGER NOT NULL,
  state    TEXT,                         -- held, out, back, cancelled; NULL in rows of before 2019
  price    INTEGER,                      -- cents; negative for credits
  deposit  REAL,                         -- euros
  channel  TEXT,
  code                                   -- as the till or the web shop gave it
);

CREATE TABLE movements (
  id     INTEGER PRIMARY KEY,
  item   INTEGER REFERENCES items (id),
  day    TEXT NOT NULL,
  units  INTEGER NOT NULL,
  reason TEXT
);

CREATE VIEW live AS
  SELECT * FROM bookings WHERE state <> 'cancelled';
`;
