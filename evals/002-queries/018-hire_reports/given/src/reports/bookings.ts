// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Report } from "../db";

/** By what a customer says or shows; `item` is a part of the page's address. */
export const find: Report<{ customer: string; item: string; code: string | number }> = sql`
  SELECT id, item, customer, code, channel = 'web' AS is_web
    FROM bookings
   WHERE customer = :customer OR item = :item OR code = :code
   ORDER BY code, id
`;

export const between: Report<{ from: string; to: string; states: string[] }> = sql`
  SELECT id, starts, state, price,
         CAST(julianday(ends) - julianday(starts) AS INTEGER) AS days,
         (julianday(ends) - julianday(starts)) / units AS each,
         price / units AS cents, price % units AS rest,
         max(price, deposit * 100) AS most
    FROM bookings
   WHERE starts BETWEEN :from AND :to
     AND state NOT IN (SELECT value FROM json_each(:states))
   ORDER BY state DESC, price, id
`;

/** The last booking of each customer. */
export const latest: Report<{ least: number }> = sql`
  SELECT lower(customer) AS customer, max(starts || ' ' || printf('%05d', id)) AS last,
         id, state, deposit || ' EUR' AS deposit,
         count(*) AS bookings, count(price) AS priced, count(DISTINCT channel) AS channels,
         (sum(price) / 100.0) || ' EUR' AS paid, total(deposit) AS deposits,
         sum(state = 'cancelled') AS cancelled
    FROM bookings
   GROUP BY customer
  HAVING count(channel) >= :least
   ORDER BY 1
`;

/** Customers of before a day that did not come since. */
export const lost: Report<{ since: string }> = sql`
  SELECT lower(customer) AS customer FROM live WHERE starts < :since
  EXCEPT
  SELECT lower(customer) FROM live WHERE starts >= :since
  ORDER BY 1 DESC
`;

/** Bookings of one item that meet. */
export const clashes: Report<{ item: number | null }> = sql`
  SELECT a.id AS first, b.id AS second, min(a.ends, b.ends) AS until,
         a.customer = b.customer AS is_same
    FROM bookings a JOIN live b
      ON b.item = a.item AND b.id > a.id AND b.starts < a.ends AND b.ends > a.starts
   WHERE NOT (a.state = 'cancelled' AND a.price IS NULL)
     AND a.item = coalesce(:item, a.item)
   ORDER BY until, first, second
`;

/** When to ask for what is not back. */
export const overdue: Report<{ now: string; grace: string }> = sql`
  SELECT id, customer,
         date(ends, 'weekday 1') AS monday,
         date(ends, '+1 month') AS claim,
         date(ends, 'start of month', '+1 month', '-1 day') AS closing,
         CASE WHEN datetime(ends, '+' || :grace || ' days') < datetime(:now) THEN 'late'
              WHEN state = NULL THEN 'unknown'
              ELSE 'soon' END AS word,
         CASE channel WHEN NULL THEN 'none' WHEN 'web' THEN 'mail' ELSE 'phone' END AS way
    FROM bookings
   WHERE state IS NOT 'back' AND NOT state = 'cancelled' AND ends < :now
   ORDER BY claim DESC, customer DESC, id
`;
