// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireStaff } from "./lib/auth";

export const add = mutation({
  args: { name: v.string(), cents: v.number() },
  returns: v.id("plans"),
  handler: async (ctx, { name, cents }) => {
    await requireStaff(ctx);
    return await ctx.db.insert("plans", { name, cents, isOffered: true });
  },
});

/** Stop offering a plan. Customers who have it keep it. */
export const retire = mutation({
  args: { plan: v.id("plans") },
  returns: v.null(),
  handler: async (ctx, { plan }) => {
    await requireStaff(ctx);
    await ctx.db.patch("plans", plan, { isOffered: false });
    return null;
  },
});

export const list = query({
  args: {},
  returns: v.array(v.object({ name: v.string(), cents: v.number() })),
  handler: async (ctx) => {
    await requireStaff(ctx);
    const plans = await ctx.db.query("plans").withIndex("by_name").take(100);
    return plans.filter((plan) => plan.isOffered).map(({ name, cents }) => ({ name, cents }));
  },
});
