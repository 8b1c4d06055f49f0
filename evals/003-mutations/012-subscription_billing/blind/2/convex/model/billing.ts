// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { goOn, nextStep } from "./course";
import { createInvoice } from "./invoices";
import { priceOn } from "./prices";

/** Writes the invoice of a period that begins. */
export async function invoicePeriod(
  ctx: MutationCtx,
  customer: Id<"customers">,
  subscription: Id<"subscriptions">,
  period: { title: string; day: string; price: number },
): Promise<void> {
  const { title, day, price } = period;
  const text = `${title}, period from ${day}`;
  await createInvoice(ctx, customer, { subscription, day, text, amount: price });
}

/**
 * Does what comes by itself next in a subscription, and returns whether this wrote an invoice. Credit
 * is used up in order only if, of a customer's subscriptions, that with the earliest next day is
 * taken, and of several the one that was started first.
 */
export async function takeStep(
  ctx: MutationCtx,
  subscription: Doc<"subscriptions">,
): Promise<boolean> {
  const { _id, customer, nextOn: day } = subscription;
  if (day === undefined) return false;
  const plan = (await ctx.db.get("plans", subscription.plan)) ?? refuse("not_found");
  const { changes, isInvoiced } = nextStep(subscription, day, plan.months);
  if (!isInvoiced) {
    await ctx.db.patch("subscriptions", _id, changes);
    return false;
  }
  const price = await priceOn(ctx, plan._id, day);
  await ctx.db.patch("subscriptions", _id, { ...changes, price });
  await invoicePeriod(ctx, customer, _id, { title: plan.title, day, price });
  return true;
}

/**
 * Does everything that has come by itself for a customer up to a day. Whatever changes a customer's
 * credit or subscriptions calls this first.
 */
export async function catchUp(
  ctx: MutationCtx,
  customer: Id<"customers">,
  day: string,
): Promise<void> {
  for (;;) {
    const next = await ctx.db
      .query("subscriptions")
      .withIndex("by_customer_and_next", (q) =>
        q.eq("customer", customer).gte("nextOn", "").lte("nextOn", day),
      )
      .first();
    if (next === null) return;
    await takeStep(ctx, next);
  }
}

/** Returns the invoices that a customer will get up to a day, if nobody does anything. */
export async function foresee(ctx: QueryCtx, customer: Doc<"customers">, until: string) {
  const subscriptions = await ctx.db
    .query("subscriptions")
    .withIndex("by_customer_and_next", (q) =>
      q.eq("customer", customer._id).gte("nextOn", "").lte("nextOn", until),
    )
    .collect();
  subscriptions.sort((one, other) => one._creationTime - other._creationTime);
  const invoices = await Promise.all(
    subscriptions.map(async (subscription) => {
      const plan = (await ctx.db.get("plans", subscription.plan)) ?? refuse("not_found");
      const { invoiceDays } = goOn(subscription, plan.months, until);
      return await Promise.all(
        invoiceDays.map(async (day) => ({
          subscription: subscription._id,
          day,
          amount: await priceOn(ctx, plan._id, day),
        })),
      );
    }),
  );
  // Sorting keeps the order of subscriptions within a day.
  const inOrder = invoices
    .flat()
    .sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0));
  let { credit } = customer;
  return inOrder.map((invoice) => {
    const used = Math.min(credit, invoice.amount);
    credit -= used;
    return { ...invoice, due: invoice.amount - used };
  });
}
