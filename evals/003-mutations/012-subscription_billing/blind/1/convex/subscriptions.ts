// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";
import { addDays, daysBetween, isDay, today } from "./lib/days";
import { refuse } from "./lib/errors";
import { requireCustomer } from "./lib/session";
import { billCustomer, storeSubscription } from "./model/billing";
import { addCredit, createInvoice } from "./model/invoices";
import { priceOn } from "./model/prices";
import { asOf, hasEnded, resumed } from "./model/standing";
import { isSameLength, MAX_PAUSE_DAYS } from "./model/terms";

const shownStanding = v.object({
  plan: v.id("plans"),
  state: v.union(
    v.literal("trial"),
    v.literal("active"),
    v.literal("paused"),
    v.literal("ended"),
  ),
  end: v.nullable(v.string()),
});

async function requireOwn(
  ctx: QueryCtx,
  id: Id<"subscriptions">,
): Promise<Doc<"subscriptions">> {
  const customer = await requireCustomer(ctx);
  const subscription = await ctx.db.get("subscriptions", id);
  if (subscription === null || subscription.customer !== customer._id) refuse("not_found");
  return subscription;
}

/**
 * Returns the caller's subscription as it stands on the present day, which must not have ended, after
 * everything that has come by itself up to this day.
 */
async function requireGoing(
  ctx: MutationCtx,
  id: Id<"subscriptions">,
  day: string,
): Promise<Doc<"subscriptions">> {
  const { customer } = await requireOwn(ctx, id);
  await billCustomer(ctx, customer, day);
  const billed = (await ctx.db.get("subscriptions", id)) ?? refuse("not_found");
  const subscription = asOf(billed, day);
  if (hasEnded(subscription, day)) refuse("ended");
  return subscription;
}

/** How the caller's subscription stands today. */
export const get = query({
  args: { subscription: v.id("subscriptions"), today: v.string() },
  returns: shownStanding,
  handler: async (ctx, { subscription: id, today: day }): Promise<Infer<typeof shownStanding>> => {
    const stored = await requireOwn(ctx, id);
    if (!isDay(day)) refuse("invalid");
    const subscription = asOf(stored, day);
    const { plan, period, pause, end } = subscription;
    if (hasEnded(subscription, day)) return { plan, state: "ended", end: null };
    if (pause !== undefined) return { plan, state: "paused", end: null };
    return { plan, state: period === undefined ? "trial" : "active", end };
  },
});

export const start = mutation({
  args: { plan: v.id("plans") },
  returns: v.id("subscriptions"),
  handler: async (ctx, { plan: id }) => {
    const { _id: customer } = await requireCustomer(ctx);
    const plan = (await ctx.db.get("plans", id)) ?? refuse("not_found");
    const startedOn = today();
    await priceOn(ctx, plan._id, startedOn);
    const end = addDays(startedOn, plan.trialDays);
    const subscription = await ctx.db.insert("subscriptions", {
      customer,
      plan: plan._id,
      startedOn,
      months: plan.months,
      isCancelled: false,
      end,
      price: 0,
      billsOn: end,
    });
    // Without a trial the first period begins at once, after what has come by itself.
    await billCustomer(ctx, customer, startedOn);
    return subscription;
  },
});

/** Changes to another plan. To change to the present plan does nothing. */
export const changePlan = mutation({
  args: { subscription: v.id("subscriptions"), plan: v.id("plans") },
  returns: v.null(),
  handler: async (ctx, { subscription: id, plan: wanted }) => {
    const day = today();
    const subscription = await requireGoing(ctx, id, day);
    if (wanted === subscription.plan) return null;
    const former = (await ctx.db.get("plans", subscription.plan)) ?? refuse("not_found");
    const plan = (await ctx.db.get("plans", wanted)) ?? refuse("not_found");
    if (!isSameLength(former, plan)) refuse("not_available");
    const price = await priceOn(ctx, plan._id, day);

    const { customer, period, pause, end } = subscription;
    if (period === undefined) {
      await storeSubscription(ctx, { ...subscription, plan: plan._id });
      return null;
    }
    await storeSubscription(ctx, { ...subscription, plan: plan._id, price });
    const daysLeft = pause?.daysLeft ?? daysBetween(day, end);
    const shareOf = (whole: number): number => Math.round((whole * daysLeft) / period.days);
    const difference = shareOf(price) - shareOf(subscription.price);
    if (difference > 0) {
      const text = `Change from ${former.title} to ${plan.title}`;
      await createInvoice(ctx, customer, { subscription: id, day, text, amount: difference });
    } else if (difference < 0) {
      await addCredit(ctx, customer, -difference);
    }
    return null;
  },
});

/** Pauses from today on; the pause ends by itself on a later day, if one is given. */
export const pause = mutation({
  args: { subscription: v.id("subscriptions"), until: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { subscription: id, until }) => {
    const day = today();
    const subscription = await requireGoing(ctx, id, day);
    if (subscription.isCancelled) refuse("cancelled");
    if (subscription.pause !== undefined) refuse("paused");
    if (until !== undefined && (!isDay(until) || until <= day)) refuse("invalid");
    const latest = addDays(day, MAX_PAUSE_DAYS);
    await storeSubscription(ctx, {
      ...subscription,
      pause: {
        endsOn: until !== undefined && until < latest ? until : latest,
        daysLeft: daysBetween(day, subscription.end),
      },
    });
    return null;
  },
});

export const resume = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const day = today();
    const subscription = await requireGoing(ctx, id, day);
    if (subscription.pause === undefined) refuse("not_paused");
    await storeSubscription(ctx, resumed(subscription, day));
    return null;
  },
});

/** Cancels to the end of the period or trial, in a pause at once. */
export const cancel = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const day = today();
    const subscription = await requireGoing(ctx, id, day);
    if (subscription.isCancelled) refuse("cancelled");
    const end = subscription.pause === undefined ? subscription.end : day;
    await storeSubscription(ctx, { ...subscription, isCancelled: true, pause: undefined, end });
    return null;
  },
});

/** Takes a cancellation back. */
export const keep = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const day = today();
    const subscription = await requireGoing(ctx, id, day);
    if (!subscription.isCancelled) refuse("not_cancelled");
    await storeSubscription(ctx, { ...subscription, isCancelled: false });
    return null;
  },
});
