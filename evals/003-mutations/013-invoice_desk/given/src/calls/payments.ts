// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Call } from "../db";

export const record: Call<{
  invoice: number | null;
  ref: string | null;
  day: string;
  cents: number;
  method: string | null;
}> = sql`
  INSERT INTO payments (invoice, ref, paid_on, cents, method)
  VALUES (:invoice, :ref, :day, :cents, :method);
  SELECT id, method FROM payments WHERE id = last_insert_rowid();
`;

/** At the counter. */
export const receive: Call<{ invoice: number; day: string; cents: number }> = sql`
  INSERT INTO payments (invoice, paid_on, cents) VALUES (:invoice, :day, :cents);
  SELECT i.state, i.paid, p.id, p.method
    FROM payments p JOIN invoices i ON i.id = p.invoice WHERE p.id = last_insert_rowid();
`;

/** A statement of the bank; the same day's statement may come twice. */
export const load: Call<{
  rows: {
    invoice: number | null;
    ref: string | null;
    day: string | null;
    cents: number | string;
    method: string | null;
  }[];
}> = sql`
  INSERT OR IGNORE INTO payments (invoice, ref, paid_on, cents, method)
  SELECT json_extract(value, '$.invoice'), json_extract(value, '$.ref'),
         json_extract(value, '$.day'), json_extract(value, '$.cents'),
         json_extract(value, '$.method')
    FROM json_each(:rows) ORDER BY key;
  SELECT changes() AS changed;
`;

/** What the bank sends again, with another amount or invoice. */
export const correct: Call<{
  invoice: number | null;
  ref: string;
  day: string;
  cents: number;
  method: string;
}> = sql`
  INSERT OR REPLACE INTO payments (invoice, ref, paid_on, cents, method)
  VALUES (:invoice, :ref, :day, :cents, :method);
  SELECT id, (SELECT count(*) FROM payments) AS payments FROM payments
   WHERE ref = :ref AND method = :method;
`;

export const remove: Call<{ payment: number }> = sql`
  DELETE FROM payments WHERE id = :payment;
  SELECT changes() AS changed;
`;

export const list: Call<Record<string, never>> = sql`
  SELECT id, invoice, ref, paid_on AS day, cents, method,
         sum(cents) OVER (PARTITION BY method ORDER BY paid_on) AS running
    FROM payments ORDER BY id;
`;
