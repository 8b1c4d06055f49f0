// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "../_generated/server";
import { requireStaff } from "../lib/session";

/** The takings of a day, such as "2026-03-31". */
export const day = query({
  args: { day: v.string() },
  returns: v.object({ orders: v.number(), amount: v.number() }),
  handler: async (ctx, { day: wanted }) => {
    await requireStaff(ctx);
    const row = await ctx.db
      .query("takings")
      .withIndex("by_day", (q) => q.eq("day", wanted))
      .unique();
    return { orders: row?.orders ?? 0, amount: row?.amount ?? 0 };
  },
});

/** The refunds of an order. */
export const refundsOf = query({
  args: { order: v.id("orders") },
  handler: async (ctx, { order }) => {
    await requireStaff(ctx);
    const refunds = await ctx.db
      .query("refunds")
      .withIndex("by_order", (q) => q.eq("order", order))
      .take(20);
    return refunds.map(({ charge, amount, state }) => ({ charge, amount, state }));
  },
});
