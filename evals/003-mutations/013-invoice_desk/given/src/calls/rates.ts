// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Call } from "../db";

export const put: Call<{ code: string; percent: number | null }> = sql`
  INSERT OR REPLACE INTO rates (code, percent) VALUES (:code, :percent);
  SELECT code, percent FROM rates WHERE code = :code;
`;

export const rename: Call<{ from: string; to: string }> = sql`
  UPDATE rates SET code = :to WHERE code = :from;
  SELECT changes() AS changed;
`;

export const list: Call<Record<string, never>> = sql`
  SELECT r.code, r.percent, count(l.id) AS lines
    FROM rates r LEFT JOIN lines l ON l.rate = r.code
   GROUP BY r.code ORDER BY r.code;
`;
