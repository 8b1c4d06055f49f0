// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { today } from "../lib/days";
import { createInvoice } from "./invoices";
import { priceOn } from "./prices";
import { ENDED, periodFrom, resumeOn } from "./standing";

/** One thing that comes by itself. */
type Step = {
  day: string;
  /** The subscription as it is then. */
  after: Doc<"subscriptions">;
  /** What is invoiced, if a period begins. */
  amount: number | null;
};

/** Returns what comes by itself to a subscription on `day`, which is its next such day. */
export async function nextStep(
  ctx: QueryCtx,
  subscription: Doc<"subscriptions">,
  day: string,
): Promise<Step> {
  if (subscription.pause !== null) {
    return { day, after: { ...subscription, ...resumeOn(subscription, day) }, amount: null };
  }
  if (subscription.isCancelled) return { day, after: { ...subscription, ...ENDED }, amount: null };
  const price = await priceOn(ctx, subscription.plan, day);
  return { day, after: { ...subscription, ...periodFrom(subscription, day, price) }, amount: price };
}

/** Returns what comes by itself to a subscription, up to and including a day. */
async function stepsOf(
  ctx: QueryCtx,
  subscription: Doc<"subscriptions">,
  until: string,
): Promise<Step[]> {
  const steps: Step[] = [];
  let present = subscription;
  while (present.next !== null && present.next <= until) {
    const step = await nextStep(ctx, present, present.next);
    steps.push(step);
    present = step.after;
  }
  return steps;
}

/** Returns a subscription as it is on a day if nobody does anything before. */
export async function asOf(
  ctx: QueryCtx,
  subscription: Doc<"subscriptions">,
  day: string,
): Promise<Doc<"subscriptions">> {
  const steps = await stepsOf(ctx, subscription, day);
  return steps.at(-1)?.after ?? subscription;
}

/** Returns what comes by itself to a customer, up to and including a day, in its order. */
export async function stepsOfCustomer(
  ctx: QueryCtx,
  customer: Id<"customers">,
  until: string,
): Promise<Step[]> {
  const subscriptions = await ctx.db
    .query("subscriptions")
    .withIndex("by_customer", (q) => q.eq("customer", customer))
    .collect();
  const steps = await Promise.all(
    subscriptions.map((subscription) => stepsOf(ctx, subscription, until)),
  );
  // The sort is stable: on one day, the subscription that was started first stays first.
  return steps.flat().sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/** Makes a step happen. The steps of a customer have to be made in their order. */
export async function makeStep(ctx: MutationCtx, { day, after, amount }: Step): Promise<void> {
  const { _id: subscription, customer, plan: planId, period, pause, end, next } = after;
  if (amount !== null) {
    const plan = await ctx.db.get("plans", planId);
    const text = `${plan?.title ?? "Subscription"}, from ${day} until ${end}`;
    await createInvoice(ctx, customer, { subscription, day, amount, text });
  }
  await ctx.db.patch("subscriptions", subscription, { period, pause, end, next });
}

/**
 * Makes all that has come by itself to a customer up to today happen. Whatever changes a customer's
 * subscriptions, invoices or credit does this first.
 */
export async function settle(ctx: MutationCtx, customer: Id<"customers">): Promise<void> {
  for (const step of await stepsOfCustomer(ctx, customer, today())) await makeStep(ctx, step);
}
