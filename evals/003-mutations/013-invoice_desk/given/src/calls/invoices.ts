// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Call } from "../db";

export const draft: Call<{ customer: number; note: string | null }> = sql`
  INSERT INTO invoices (customer, note) VALUES (:customer, :note);
  SELECT id, state, total FROM invoices WHERE id = last_insert_rowid();
`;

/** `day` is `YYYY-MM-DD`. */
export const issue: Call<{ invoice: number; day: string }> = sql`
  UPDATE invoices
     SET state = 'open',
         issued = date(:day),
         due = date(:day, '+' || (SELECT terms FROM customers c WHERE c.id = customer) || ' days'),
         number = 'R' || substr(:day, 1, 4) || '-' || printf('%03d',
                  1 + (SELECT count(number) FROM invoices WHERE issued LIKE substr(:day, 1, 4) || '%'))
   WHERE id = :invoice AND state = 'draft' AND total <> 0;
  SELECT id, number, issued, due, state, total FROM invoices WHERE id = :invoice;
`;

export const cancel: Call<{ invoice: number }> = sql`
  UPDATE invoices SET state = 'void', note = 'Cancelled. ' || note
   WHERE id = :invoice AND paid = 0 AND state <> 'draft';
  SELECT changes() AS changed;
`;

/** A draft that gives back a share of an invoice. */
export const credit: Call<{ invoice: number; percent: number }> = sql`
  INSERT INTO invoices (customer, note)
  SELECT customer, 'Credit for ' || number FROM invoices WHERE id = :invoice;
  INSERT INTO lines (invoice, text, quantity, price, rate)
  SELECT (SELECT max(id) FROM invoices), text, quantity, round(-price * :percent / 100.0), rate
    FROM lines WHERE invoice = :invoice ORDER BY id;
  SELECT id, total, note FROM invoices ORDER BY id DESC LIMIT 1;
`;

/** Payment in parts, one in each month. */
export const split: Call<{ invoice: number; day: string; parts: number }> = sql`
  DELETE FROM instalments WHERE invoice = :invoice;
  INSERT INTO instalments (invoice, position, due, cents)
  WITH RECURSIVE part (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM part WHERE k + 1 < :parts)
  SELECT :invoice, k + 1, date(:day, '+' || k || ' months'),
         (total - paid) / :parts + CASE k WHEN 0 THEN (total - paid) % :parts ELSE 0 END
    FROM part, invoices WHERE id = :invoice;
  SELECT position, due, cents FROM instalments WHERE invoice = :invoice ORDER BY position;
`;

export const drop: Call<{ invoice: number }> = sql`
  DELETE FROM invoices WHERE id = :invoice;
  SELECT changes() AS changed;
`;

export const list: Call<Record<string, never>> = sql`
  SELECT i.id, c.code, i.customer, i.number, i.issued, i.due, i.state, i.total, i.paid, i.note,
         i.total - i.paid AS rest, (SELECT count(*) FROM instalments WHERE invoice = i.id) AS parts
    FROM invoices i JOIN customers c ON c.id = i.customer
   ORDER BY i.due DESC, i.id;
`;
