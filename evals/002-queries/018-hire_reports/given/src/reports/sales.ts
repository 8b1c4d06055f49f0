// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Report } from "../db";

/** By week of the year. */
export const weeks: Report<{ channel: string }> = sql`
  SELECT strftime('%Y-%W', starts) AS week, count(*) AS bookings, sum(price) AS cents,
         sum(price) / count(*) AS mean, avg(price) AS priced, round(avg(price)) AS rounded,
         min(strftime('%w', starts)) AS weekday, count(DISTINCT customer) AS customers, sum(price) > 0 AS is_good
    FROM live
   WHERE channel = :channel OR :channel IS NULL
   GROUP BY week ORDER BY week
`;

/** From a day on, month by month. */
export const months: Report<{ from: string; months: number }> = sql`
  WITH RECURSIVE span (k, day) AS (
    SELECT 0, date(:from)
    UNION ALL
    SELECT k + 1, date(:from, '+' || (k + 1) || ' months') FROM span WHERE k + 1 < :months
  )
  SELECT s.day, strftime('%Y-%m', s.day) AS month, count(*) AS entries, count(b.id) AS bookings,
         sum(b.price) AS cents,
         sum(b.price) - lag(sum(b.price)) OVER (ORDER BY s.k) AS growth
    FROM span s LEFT JOIN live b ON substr(b.starts, 1, 7) = strftime('%Y-%m', s.day)
   GROUP BY s.k ORDER BY s.k
`;

/** The ranking of the items of each site. */
export const ranking: Report<{ site: number | null; offset: number }> = sql`
  SELECT i.site, i.id, sum(b.price) AS cents,
         rank() OVER (PARTITION BY i.site ORDER BY sum(b.price) DESC) AS rank,
         dense_rank() OVER (ORDER BY count(b.id)) AS step,
         ntile(3) OVER (ORDER BY i.daily, i.id) AS third,
         100 * sum(b.price) / sum(sum(b.price)) OVER (PARTITION BY i.site) AS share
    FROM items i LEFT JOIN live b ON b.item = i.id
   WHERE i.retired IS NULL AND (i.site = :site OR :site IS NULL)
   GROUP BY i.id
   ORDER BY i.site, rank, i.id LIMIT -1 OFFSET :offset
`;

/** Sites, also those without bookings. */
export const sites: Report<{ from: string }> = sql`
  SELECT s.id, s.name || ' (' || s.region || ')' AS name,
         count(DISTINCT i.id) AS items, count(b.id) AS bookings,
         sum(b.units * i.daily) AS worth, avg(b.units) AS units,
         sum(b.price) BETWEEN 0 AND 5000 AS is_small
    FROM sites s
    LEFT JOIN items i ON i.site = s.id
    LEFT JOIN bookings b ON b.item = i.id AND b.starts >= :from
   WHERE b.state IS NULL OR b.state <> 'cancelled'
   GROUP BY s.id
   ORDER BY s.region, s.name DESC, s.id
`;
