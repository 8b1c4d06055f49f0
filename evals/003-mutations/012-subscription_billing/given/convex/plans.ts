// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { isDay, today } from "./lib/days";
import { refuse } from "./lib/errors";
import { requireStaff } from "./lib/session";
import { priceOn } from "./model/prices";

export const add = mutation({
  args: { title: v.string(), months: v.number(), trialDays: v.number(), price: v.number() },
  returns: v.id("plans"),
  handler: async (ctx, { price, ...plan }) => {
    await requireStaff(ctx);
    if (![1, 3, 12].includes(plan.months) || plan.trialDays < 0 || price <= 0) refuse("invalid");
    const id = await ctx.db.insert("plans", plan);
    await ctx.db.insert("prices", { plan: id, from: today(), price });
    return id;
  },
});

/** Announces a price that a plan will have from a later day on. */
export const announcePrice = mutation({
  args: { plan: v.id("plans"), from: v.string(), price: v.number() },
  returns: v.null(),
  handler: async (ctx, { plan, from, price }) => {
    await requireStaff(ctx);
    if (!isDay(from) || from <= today() || price <= 0) refuse("invalid");
    const announced = await ctx.db
      .query("prices")
      .withIndex("by_plan_and_from", (q) => q.eq("plan", plan).eq("from", from))
      .unique();
    if (announced === null) await ctx.db.insert("prices", { plan, from, price });
    else await ctx.db.patch("prices", announced._id, { price });
    return null;
  },
});

/** The plans and what they cost today. */
export const list = query({
  args: { today: v.string() },
  handler: async (ctx, { today: day }) => {
    const plans = await ctx.db.query("plans").take(50);
    return await Promise.all(
      plans.map(async ({ _id, title, months, trialDays }) => ({
        id: _id,
        title,
        months,
        trialDays,
        price: await priceOn(ctx, _id, day),
      })),
    );
  },
});
