// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Call } from "../db";

/** `quantity` is what was typed into the form. */
export const add: Call<{
  invoice: number;
  text: string | null;
  quantity: string;
  price: number;
  rate: string | null;
}> = sql`
  INSERT INTO lines (invoice, text, quantity, price, rate)
  VALUES (:invoice, :text, CAST(:quantity AS INTEGER), :price, :rate);
  SELECT l.id, l.text, l.quantity, l.tax, i.total
    FROM lines l JOIN invoices i ON i.id = l.invoice WHERE l.id = last_insert_rowid();
`;

export const addWork: Call<{ invoice: number; price: number }> = sql`
  INSERT INTO lines (invoice, quantity, price) VALUES (:invoice, 1, :price);
  SELECT total FROM invoices WHERE id = :invoice;
`;

export const change: Call<{ line: number; price: number | null; rate: string | null }> = sql`
  UPDATE lines SET price = ifnull(:price, price), rate = :rate WHERE id = :line;
  SELECT changes() AS changed;
`;

export const describe: Call<{ line: number; text: string }> = sql`
  UPDATE lines SET text = text || ', ' || :text WHERE id = :line;
  SELECT text FROM lines WHERE id = :line;
`;

export const remove: Call<{ line: number }> = sql`
  DELETE FROM lines WHERE id = :line;
  SELECT changes() AS changed;
`;

export const list: Call<{ invoice: number }> = sql`
  SELECT l.id, l.text, l.quantity, l.price, l.rate, l.tax, r.percent
    FROM lines l LEFT JOIN rates r ON l.rate = r.code
   WHERE l.invoice = :invoice ORDER BY l.id;
`;
