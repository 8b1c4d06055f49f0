// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Report } from "../db";

export const search: Report<{ text: string; kind: string; limit: number }> = sql`
  SELECT i.id, i.sku, i.title, s.name AS site, i.weight || ' kg' AS weight,
         i.retired IS NOT NULL AS is_retired
    FROM items i LEFT JOIN sites s ON s.id = i.site
   WHERE (i.title LIKE '%' || :text || '%' OR i.sku GLOB :text || '*')
     AND (:kind IS NULL OR i.kind = :kind)
   ORDER BY i.title, i.sku DESC
   LIMIT :limit
`;

/** The next page of all items; without a title and an id it is the first one. */
export const page: Report<{ title: string; id: number | null; size: number }> = sql`
  SELECT id, title, daily / 100 AS euros, daily % 100 AS cents
    FROM items
   WHERE :id IS NULL OR (title, id) > (:title, :id)
   ORDER BY title, id
   LIMIT :size
`;

/** What is left of each item, in a span of moments. */
export const free: Report<{ from: string; to: string; kinds: string[] }> = sql`
  SELECT id, sku,
         stock - (SELECT sum(units) FROM live b
                   WHERE b.item = i.id AND b.starts <= :to AND b.ends >= :from) AS free,
         stock > 1 AND kind <> 'tool' AS is_bulk
    FROM items i
   WHERE kind IN (SELECT value FROM json_each(:kinds)) OR json_array_length(:kinds) = 0
   GROUP BY id HAVING free IS NULL OR free > 0
   ORDER BY free DESC, sku
`;

/** Items that nobody took since a day, and that the stock did not move either. */
export const idle: Report<{ since: string; unmoved: boolean }> = sql`
  SELECT id, sku, coalesce(title, kind, '?') AS title
    FROM items
   WHERE id NOT IN (SELECT item FROM live WHERE starts >= :since)
     AND (NOT :unmoved OR id NOT IN (SELECT item FROM movements WHERE day >= :since))
   ORDER BY title, id
`;

/** A price list of what is called so, and of what has no name and costs enough. */
export const prices: Report<{ titles: string[]; euros: number }> = sql`
  SELECT id, daily / 100 || ' EUR' AS price,
         CASE title WHEN 'drill' THEN 'D' WHEN NULL THEN '-' ELSE substr(title, 2, 3) END AS mark,
         title BETWEEN 'a' AND 'F' AS is_early, NOT kind = 'tool' AS is_other
    FROM items
   WHERE title IN (SELECT value FROM json_each(:titles)) OR title IS NULL AND daily >= :euros * 100
   ORDER BY title COLLATE BINARY DESC, daily / 100, id
`;

/** Each site's items in one text, and how much they weigh together so far. */
export const labels: Report<{ region: string }> = sql`
  SELECT i.id, s.name AS site,
         group_concat(i.title, ', ') OVER (PARTITION BY s.id ORDER BY i.sku) AS titles,
         sum(i.weight) OVER (PARTITION BY s.id ORDER BY i.kind) AS weight,
         'from ' || substr(i.sku, -3) || '/' || upper(substr(i.sku, 1, 2)) AS label,
         length(i.title) AS letters
    FROM items i JOIN sites s ON i.site = s.id
   WHERE s.region IS :region
   ORDER BY s.name, s.id, i.sku
`;
