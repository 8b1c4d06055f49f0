// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { write } from "./model/desk";
import { daysBetween, greatest, quotient, sorted } from "./model/values";

/** Of all that is due on a day. */
export const send = mutation({
  args: { day: v.string(), fee: v.union(v.number(), v.null()) },
  handler: async (ctx, { day, fee }) =>
    await write(ctx, (desk) => {
      let changed = 0;
      for (const { id, state, due } of desk.invoices.rows) {
        if (state !== "open" || (due ?? "") > day) continue;
        // Without a day on which it is due there is no level, and each reminder is a new one.
        const level = quotient(daysBetween(due, day), 14);
        const before =
          level === null
            ? undefined
            : desk.reminders.rows.find((row) => row.invoice === id && row.level === level);
        if (before === undefined) {
          desk.reminders.add({ invoice: id, level, sent: day, fee, times: 1 });
          changed += 1;
        } else if (day > before.sent) {
          desk.reminders.set(before, {
            sent: day,
            fee: greatest(before.fee, fee),
            times: before.times + 1,
          });
          changed += 1;
        }
      }
      return [{ changed }];
    }),
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const reminders = await ctx.db.query("reminders").collect();
    return sorted(reminders, (row) => [row.invoice, row.level, row.sent, row.fee, row.times]).map(
      ({ invoice, level, sent, fee, times }) => ({ invoice, level, sent, fee, times }),
    );
  },
});
