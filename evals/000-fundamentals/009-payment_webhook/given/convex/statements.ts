// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery } from "./_generated/server";
import { findCustomer } from "./customers/find";

/** A customer's account, for the bookkeepers' program. */
export const ofCustomer = internalQuery({
  args: { customer: v.string() },
  handler: async (ctx, args) => {
    const customer = await findCustomer(ctx, args.customer);
    if (customer === null) {
      return null;
    }
    const invoices = await ctx.db
      .query("invoices")
      .withIndex("by_customer", (q) => q.eq("customer", customer._id))
      .order("desc")
      .take(100);
    return {
      name: customer.name,
      openCents: customer.openCents,
      creditCents: customer.creditCents,
      invoices: invoices.map(({ number, cents, status }) => ({ number, cents, status })),
    };
  },
});
