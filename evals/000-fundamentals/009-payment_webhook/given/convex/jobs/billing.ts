// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { issue } from "../ledger";
import { DAY, monthOf } from "../lib/time";
import { BATCH } from "./limits";

/** Bill each plan to the customers who have it, in the order of their creation. */
export const run = internalMutation({
  args: {},
  handler: async (ctx) => {
    for (const plan of await ctx.db.query("plans").take(100)) {
      await ctx.scheduler.runAfter(0, internal.jobs.billing.billPlan, { plan: plan._id, after: 0 });
    }
  },
});

export const billPlan = internalMutation({
  args: { plan: v.id("plans"), after: v.number() },
  handler: async (ctx, args) => {
    const plan = await ctx.db.get("plans", args.plan);
    if (plan === null) {
      return;
    }
    // Each customer has two writes: the invoice, and their sum.
    const most = Math.floor(BATCH / 2);
    const customers = await ctx.db
      .query("customers")
      .withIndex("by_plan", (q) => q.eq("plan", plan._id).gt("_creationTime", args.after))
      .take(most);
    for (const customer of customers) {
      await issue(ctx, {
        customer: customer._id,
        number: `${monthOf(Date.now())}/${customer._id}`,
        text: plan.name,
        cents: plan.cents,
        dueAt: Date.now() + 14 * DAY,
      });
    }
    if (customers.length === most) {
      const after = customers[most - 1]._creationTime;
      await ctx.scheduler.runAfter(0, internal.jobs.billing.billPlan, { plan: plan._id, after });
    }
  },
});
