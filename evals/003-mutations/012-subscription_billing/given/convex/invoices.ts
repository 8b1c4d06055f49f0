// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireCustomer } from "./lib/session";

const shownInvoice = v.object({
  subscription: v.nullable(v.id("subscriptions")),
  day: v.string(),
  text: v.string(),
  amount: v.number(),
  credit: v.number(),
  due: v.number(),
});

/** The caller's newest invoices. */
export const mine = query({
  args: {},
  returns: v.array(shownInvoice),
  handler: async (ctx) => {
    const { _id: customer } = await requireCustomer(ctx);
    const invoices = await ctx.db
      .query("invoices")
      .withIndex("by_customer", (q) => q.eq("customer", customer))
      .order("desc")
      .take(100);
    return invoices.map(({ subscription, day, text, amount, credit, due }) => ({
      subscription: subscription ?? null,
      day,
      text,
      amount,
      credit,
      due,
    }));
  },
});
