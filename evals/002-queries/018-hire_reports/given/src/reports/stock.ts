// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Report } from "../db";

/** The movements of an item, with the levels that they led to. */
export const history: Report<{ item: number }> = sql`
  SELECT m.id, m.day, m.units, m.units / 12 AS dozens, m.units % 12 AS single,
         round(m.units / 12.0) AS boxes,
         sum(m.units) OVER (ORDER BY m.day) AS level,
         avg(m.units) OVER (ORDER BY m.day, m.id ROWS 2 PRECEDING) AS recent,
         lag(m.units, 2, 0) OVER (ORDER BY m.day DESC, m.id) AS next,
         last_value(m.reason) OVER (ORDER BY m.day, m.id) AS word,
         first_value(m.reason) OVER (PARTITION BY m.units > 0 ORDER BY m.day, m.id) AS first,
         count(m.reason) OVER () AS reasons
    FROM movements m
   WHERE m.item = :item
   ORDER BY m.id
`;

/** Movements by the first word of their reason. */
export const reasons: Report<{ pattern: string; least: number }> = sql`
  SELECT substr(reason, 1, instr(reason || ' ', ' ') - 1) AS word, count(*) AS entries,
         sum(units) AS units, sum(CAST(substr(reason, instr(reason, '#') + 1) AS INTEGER)) AS refs,
         max(day) || ' ' || min(day) AS days
    FROM movements
   WHERE reason LIKE :pattern ESCAPE '!'
   GROUP BY word
  HAVING abs(sum(units)) >= :least
   ORDER BY abs(sum(units)) DESC, word
`;

/** Levels that the books and the shelves disagree about. */
export const differences: Report<{ day: string }> = sql`
  SELECT i.id, i.stock, sum(m.units) AS moved, i.stock - sum(m.units) AS difference
    FROM items i LEFT JOIN movements m ON m.item = i.id
   WHERE m.day <= :day OR m.day IS NULL
   GROUP BY i.id
  HAVING NOT i.stock = sum(m.units)
   ORDER BY difference, i.id
`;

/** All that happened on a day, from both books. */
export const diary: Report<{ day: string }> = sql`
  SELECT 'move' AS what, item, units, reason AS note FROM movements WHERE day = :day
  UNION
  SELECT 'hire', item, -units, channel FROM live WHERE date(starts) = :day
  ORDER BY item, what, units, note
`;
