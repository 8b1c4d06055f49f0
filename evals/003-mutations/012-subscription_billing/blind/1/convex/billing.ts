// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, type QueryCtx } from "./_generated/server";
import { today } from "./lib/days";
import { billCustomer } from "./model/billing";

/** How many invoices one call writes at most. */
const MAX_INVOICES = 100;

/** The subscription with the earliest invoice that is due up to a day. */
const firstDue = async (ctx: QueryCtx, day: string): Promise<Doc<"subscriptions"> | null> =>
  await ctx.db
    .query("subscriptions")
    .withIndex("by_bills_on", (q) => q.gt("billsOn", undefined).lte("billsOn", day))
    .first();

/** Writes invoices that are due up to today. Returns whether none are left. */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const day = today();
    let left = MAX_INVOICES;
    let due = await firstDue(ctx, day);
    while (due !== null && left > 0) {
      left -= await billCustomer(ctx, due.customer, day, left);
      due = await firstDue(ctx, day);
    }
    return due === null;
  },
});
