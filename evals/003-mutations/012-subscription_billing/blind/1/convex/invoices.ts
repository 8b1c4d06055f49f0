// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { query } from "./_generated/server";
import { isDay } from "./lib/days";
import { refuse } from "./lib/errors";
import { requireCustomer } from "./lib/session";
import { beginnings } from "./model/billing";

const shownInvoice = v.object({
  subscription: v.nullable(v.id("subscriptions")),
  day: v.string(),
  text: v.string(),
  amount: v.number(),
  credit: v.number(),
  due: v.number(),
});

const upcomingInvoice = v.object({
  subscription: v.id("subscriptions"),
  day: v.string(),
  amount: v.number(),
  due: v.number(),
});

/** More than ten subscriptions get in three years, and in many months that were missed. */
const MAX_UPCOMING = 1000;

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

/**
 * The caller's invoices that are not written yet, up to and including a day at most three years ahead,
 * as they will be if nobody does anything.
 */
export const upcoming = query({
  args: { until: v.string() },
  returns: v.array(upcomingInvoice),
  handler: async (ctx, { until }) => {
    const customer = await requireCustomer(ctx);
    if (!isDay(until)) refuse("invalid");
    const invoices: Infer<typeof upcomingInvoice>[] = [];
    let { credit } = customer;
    for await (const { day, subscription } of beginnings(ctx, customer._id, until)) {
      if (invoices.length === MAX_UPCOMING) refuse("invalid");
      const amount = subscription.price;
      const used = Math.min(credit, amount);
      credit -= used;
      invoices.push({ subscription: subscription._id, day, amount, due: amount - used });
    }
    return invoices;
  },
});
