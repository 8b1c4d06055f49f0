// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { compare, countDays, divide } from "./model/sqlite";

export const send = mutation({
  args: { day: v.string(), fee: v.union(v.number(), v.null()) },
  handler: async (ctx, { day, fee }) => {
    const invoices = await ctx.db.query("invoices").collect();
    let changed = 0;
    for (const { id: invoice, state, due } of invoices) {
      if (state !== "open" || (due ?? "") > day) continue;
      // Without a day the level is NULL, which is never equal to another.
      const level = due === null ? null : divide(countDays(due, day), 14);
      const known =
        level === null
          ? null
          : await ctx.db
              .query("reminders")
              .withIndex("by_invoice_and_level", (q) =>
                q.eq("invoice", invoice).eq("level", level),
              )
              .unique();
      if (known === null) {
        await ctx.db.insert("reminders", { invoice, level, sent: day, fee, times: 1 });
      } else if (day > known.sent) {
        const none = fee === null || known.fee === null;
        await ctx.db.patch("reminders", known._id, {
          sent: day,
          fee: none ? null : Math.max(fee, known.fee ?? fee),
          times: known.times + 1,
        });
      } else continue;
      changed++;
    }
    return [{ changed }];
  },
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const reminders = await ctx.db.query("reminders").collect();
    return reminders
      .map(({ invoice, level, sent, fee, times }) => ({ invoice, level, sent, fee, times }))
      .sort(
        (a, b) =>
          a.invoice - b.invoice ||
          compare(a.level, b.level) ||
          compare(a.sent, b.sent) ||
          compare(a.fee, b.fee) ||
          a.times - b.times,
      );
  },
});
