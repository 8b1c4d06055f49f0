// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { addDays } from "../lib/days";
import { refuse } from "../lib/errors";
import { createInvoice } from "./invoices";
import { priceOn } from "./prices";
import { begun, billsOn } from "./standing";

type Beginning = { day: string; subscription: Doc<"subscriptions"> };

/** Stores how a subscription stands now. */
export async function storeSubscription(
  ctx: MutationCtx,
  subscription: Doc<"subscriptions">,
): Promise<void> {
  const { _id, plan, isCancelled, end, price, period, pause } = subscription;
  await ctx.db.patch("subscriptions", _id, {
    plan,
    isCancelled,
    end,
    price,
    period,
    pause,
    billsOn: billsOn(subscription),
  });
}

/**
 * Gives the customer's periods that begin by themselves up to a day and are not invoiced yet, in the
 * order of their invoices, each with its subscription as it stands then.
 */
export async function* beginnings(
  ctx: QueryCtx,
  customer: Id<"customers">,
  until: string,
): AsyncGenerator<Beginning, void, undefined> {
  const subscriptions = await ctx.db
    .query("subscriptions")
    .withIndex("by_customer", (q) => q.eq("customer", customer))
    .collect();
  // In the order in which they were started, which setting an entry again does not change.
  const standing = new Map(subscriptions.map((subscription) => [subscription._id, subscription]));

  const next = (): Beginning | undefined => {
    let first: Beginning | undefined;
    for (const subscription of standing.values()) {
      const day = billsOn(subscription);
      if (day === undefined || day > until) continue;
      if (first === undefined || day < first.day) first = { day, subscription };
    }
    return first;
  };

  for (let found = next(); found !== undefined; found = next()) {
    const { day, subscription: former } = found;
    const price = await priceOn(ctx, former.plan, day);
    const subscription = { ...begun(former), price };
    standing.set(subscription._id, subscription);
    yield { day, subscription };
  }
}

/**
 * Writes the customer's invoices that come by themselves up to a day, the earliest first, and returns
 * how many these were. Whatever changes a subscription or a credit does this first.
 */
export async function billCustomer(
  ctx: MutationCtx,
  customer: Id<"customers">,
  until: string,
  limit = Infinity,
): Promise<number> {
  let written = 0;
  for await (const { day, subscription } of beginnings(ctx, customer, until)) {
    const plan = (await ctx.db.get("plans", subscription.plan)) ?? refuse("not_found");
    await storeSubscription(ctx, subscription);
    await createInvoice(ctx, customer, {
      subscription: subscription._id,
      day,
      text: `${plan.title}, ${day} to ${addDays(subscription.end, -1)}`,
      amount: subscription.price,
    });
    written += 1;
    if (written >= limit) break;
  }
  return written;
}
