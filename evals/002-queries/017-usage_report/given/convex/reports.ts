// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query } from "./_generated/server";
import { reportDays } from "./model/reports";
import { requireCustomer, requireStaff } from "./model/viewer";

export const daily = query({
  args: { from: v.number(), to: v.number() },
  handler: async (ctx, { from, to }) =>
    await reportDays(ctx, await requireCustomer(ctx), from, to),
});

/** The report of any customer, also of a removed one. */
export const ofCustomer = query({
  args: { customer: v.id("customers"), from: v.number(), to: v.number() },
  handler: async (ctx, { customer: id, from, to }) => {
    await requireStaff(ctx);
    const customer = await ctx.db.get("customers", id);
    if (customer === null) throw new ConvexError("no such customer");
    return await reportDays(ctx, customer, from, to);
  },
});
