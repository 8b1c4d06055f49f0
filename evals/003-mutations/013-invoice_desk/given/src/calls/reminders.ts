// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { sql, type Call } from "../db";

/** Of all that is due on a day. */
export const send: Call<{ day: string; fee: number | null }> = sql`
  INSERT INTO reminders (invoice, level, sent, fee)
  SELECT id, CAST(julianday(:day) - julianday(due) AS INTEGER) / 14, :day, :fee
    FROM invoices WHERE state = 'open' AND ifnull(due, '') <= :day
  ON CONFLICT (invoice, level) DO UPDATE
     SET sent = excluded.sent, fee = max(fee, excluded.fee), times = times + 1
   WHERE excluded.sent > sent;
  SELECT changes() AS changed;
`;

export const list: Call<Record<string, never>> = sql`
  SELECT r.invoice, r.level, r.sent, r.fee, r.times FROM reminders r
   ORDER BY r.invoice, r.level, r.sent, r.fee, r.times;
`;
