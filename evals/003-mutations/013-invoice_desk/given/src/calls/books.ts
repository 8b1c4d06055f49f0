// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Call } from "../db";

export const journal: Call<{ limit: number }> = sql`
  SELECT id, kind, ref, day, cents FROM journal ORDER BY day, id LIMIT :limit;
`;

/** Invoices without a payment since a day. */
export const unpaid: Call<{ since: string }> = sql`
  SELECT id, ifnull(number, 'draft') AS number FROM invoices
   WHERE id NOT IN (SELECT invoice FROM payments WHERE paid_on >= :since) ORDER BY number, id;
`;

export const customers: Call<Record<string, never>> = sql`
  SELECT c.code, c.name || ' <' || c.email || '>' AS address, max(p.id) AS last, p.method,
         count(*) AS entries, count(p.ref) AS refs, count(DISTINCT i.id) AS invoices,
         sum(p.cents) AS cents, round(avg(p.cents)) AS mean
    FROM customers c
    LEFT JOIN invoices i ON i.customer = c.id AND i.state <> 'draft'
    LEFT JOIN payments p ON p.invoice = i.id
   GROUP BY c.id ORDER BY c.code;
`;

export const ages: Call<{ day: string }> = sql`
  SELECT CAST(julianday(:day) - julianday(due) AS INTEGER) / 30 AS age,
         count(*) AS invoices, count(due) AS dated, sum(total - paid) AS cents
    FROM invoices WHERE state NOT IN ('draft', 'void')
   GROUP BY 1 ORDER BY 1;
`;

export const taxes: Call<{ from: string; to: string }> = sql`
  SELECT ifnull(l.rate, '-') AS rate, sum(l.quantity * l.price) AS net, sum(l.tax) AS tax,
         total(l.tax) / count(*) AS mean
    FROM lines l JOIN invoices i ON i.id = l.invoice
   WHERE i.issued BETWEEN :from AND :to
   GROUP BY ifnull(l.rate, '-') ORDER BY 1;
`;
