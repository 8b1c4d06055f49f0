// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { addDays, daysBetween, today } from "../lib/days";
import { refuse } from "../lib/errors";
import { createInvoice } from "./invoices";
import { priceOn } from "./prices";

export type Subscription = Doc<"subscriptions">;

/** What comes by itself: a subscription as it is afterwards, and the amount that is invoiced. */
export interface Occurrence {
  day: string;
  subscription: Subscription;
  amount?: number;
}

/** Returns the day of the month `anchor` that is some months later; the last day of a shorter one. */
function addMonths(day: string, months: number, anchor: number): string {
  const [year = 0, month = 0] = day.split("-").map(Number);
  const first = month - 1 + months;
  const lastDay = new Date(Date.UTC(year, first + 1, 0)).getUTCDate();
  const moment = Date.UTC(year, first, Math.min(anchor, lastDay));
  return new Date(moment).toISOString().slice(0, 10);
}

const dayOfMonth = (day: string): number => Number(day.slice(8));

/** A subscription that goes on after a pause. */
export function resumeOn(subscription: Subscription, day: string): Subscription {
  const { pause, ...rest } = subscription;
  if (pause === undefined) return subscription;
  const end = addDays(day, pause.daysLeft);
  const anchor = end === subscription.end ? subscription.anchor : dayOfMonth(end);
  return { ...rest, isPaused: false, end, anchor, nextOn: end };
}

/** A subscription that has ended. */
export function endNow(subscription: Subscription): Subscription {
  const { pause: _pause, nextOn: _nextOn, ...rest } = subscription;
  return { ...rest, isPaused: false, isEnded: true };
}

/** Returns what comes by itself on the day `nextOn` of a subscription. */
async function occur(
  ctx: QueryCtx,
  subscription: Subscription,
  day: string,
): Promise<Occurrence> {
  if (subscription.pause !== undefined) {
    return { day, subscription: resumeOn(subscription, day) };
  }
  if (subscription.isCancelled) return { day, subscription: endNow(subscription) };
  const plan = (await ctx.db.get("plans", subscription.plan)) ?? refuse("not_found");
  const price = await priceOn(ctx, plan._id, day);
  const end = addMonths(day, plan.months, subscription.anchor);
  const period = { price, days: daysBetween(day, end) };
  return { day, subscription: { ...subscription, period, end, nextOn: end }, amount: price };
}

/** Goes through all that comes by itself to a customer up to a day, in its order; writes nothing. */
export async function* passTime(
  ctx: QueryCtx,
  customer: Id<"customers">,
  until: string,
): AsyncGenerator<Occurrence, void> {
  const subscriptions = await ctx.db
    .query("subscriptions")
    .withIndex("by_customer", (q) => q.eq("customer", customer))
    .take(100);
  for (;;) {
    let next: { index: number; day: string } | undefined;
    for (const [index, { nextOn }] of subscriptions.entries()) {
      if (nextOn === undefined || nextOn > until) continue;
      if (next === undefined || nextOn < next.day) next = { index, day: nextOn };
    }
    const subscription = next && subscriptions[next.index];
    if (next === undefined || subscription === undefined) return;
    const occurrence = await occur(ctx, subscription, next.day);
    subscriptions[next.index] = occurrence.subscription;
    yield occurrence;
  }
}

/**
 * Writes down what has come by itself to a customer up to today, at most so much of it; returns how
 * much that was. Everything that people do begins with it.
 */
export async function catchUp(
  ctx: MutationCtx,
  customer: Id<"customers">,
  most = Infinity,
): Promise<number> {
  let written = 0;
  for await (const { day, subscription, amount } of passTime(ctx, customer, today())) {
    await ctx.db.replace("subscriptions", subscription._id, subscription);
    if (amount !== undefined) {
      const text = "Course fee";
      await createInvoice(ctx, customer, { subscription: subscription._id, day, text, amount });
    }
    written += 1;
    if (written >= most) break;
  }
  return written;
}
