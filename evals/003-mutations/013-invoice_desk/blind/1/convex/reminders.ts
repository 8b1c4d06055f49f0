// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { atDesk } from "./desk";
import { numberOrNull, reminder } from "./schema";
import { dayNumber, divide, greater, inOrder, plain } from "./sqlite";

/** Of all that is due on a day. */
export const send = mutation({
  args: { day: v.string(), fee: numberOrNull },
  returns: v.array(v.object({ changed: v.number() })),
  handler: async (ctx, { day, fee: given }) =>
    await atDesk(ctx, (desk) => {
      const fee = given === null ? null : plain(given);
      const today = dayNumber(day);
      let changed = 0;
      for (const { id, state, due } of desk.invoices.rows) {
        if (state !== "open" || (due !== null && due > day)) continue;
        const level = due === null ? null : divide(today - dayNumber(due), 14);
        // A level that is NULL equals no other.
        const found =
          level === null
            ? undefined
            : desk.reminders.rows.find((row) => row.invoice === id && row.level === level);
        if (found === undefined) {
          desk.reminders.rows.push({ invoice: id, level, sent: day, fee, times: 1 });
          changed += 1;
        } else if (day > found.sent) {
          found.sent = day;
          found.fee = greater(found.fee, fee);
          found.times += 1;
          changed += 1;
        }
      }
      return [{ changed }];
    }),
});

export const list = query({
  args: {},
  returns: v.array(reminder),
  handler: async (ctx) => {
    const rows = await ctx.db.query("reminders").collect();
    return inOrder(
      rows,
      (row) => row.invoice,
      (row) => row.level,
      (row) => row.sent,
      (row) => row.fee,
      (row) => row.times,
    ).map(({ invoice, level, sent, fee, times }) => ({ invoice, level, sent, fee, times }));
  },
});
