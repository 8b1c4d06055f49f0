// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, type MutationCtx, query, type QueryCtx } from "./_generated/server";
import { isDay, today } from "./lib/days";
import { refuse } from "./lib/errors";
import { requireCustomer } from "./lib/session";
import { asOf, settle } from "./model/coming";
import { createInvoice } from "./model/invoices";
import { priceOn } from "./model/prices";
import {
  daysLeft,
  ENDED,
  pauseFrom,
  resumeOn,
  share,
  shownState,
  stateOf,
  trialFrom,
} from "./model/standing";
import { isSameLength } from "./model/terms";

async function requireOwn(
  ctx: QueryCtx,
  customer: Doc<"customers">,
  id: Id<"subscriptions">,
): Promise<Doc<"subscriptions">> {
  const subscription = await ctx.db.get("subscriptions", id);
  if (subscription === null || subscription.customer !== customer._id) refuse("not_found");
  return subscription;
}

/** Brings the caller up to today, and returns their subscription, which has not ended. */
async function requireRunning(
  ctx: MutationCtx,
  id: Id<"subscriptions">,
): Promise<Doc<"subscriptions">> {
  const customer = await requireCustomer(ctx);
  await settle(ctx, customer._id);
  const subscription = await requireOwn(ctx, customer, id);
  if (stateOf(subscription) === "ended") refuse("ended");
  return subscription;
}

/** How a subscription stands today. */
export const get = query({
  args: { subscription: v.id("subscriptions"), today: v.string() },
  returns: v.object({ plan: v.id("plans"), state: shownState, end: v.nullable(v.string()) }),
  handler: async (ctx, { subscription: id, today: day }) => {
    const customer = await requireCustomer(ctx);
    const stored = await requireOwn(ctx, customer, id);
    if (!isDay(day)) refuse("invalid");
    const subscription = await asOf(ctx, stored, day);
    const state = stateOf(subscription);
    const hasEnd = state === "trial" || state === "active";
    return { plan: subscription.plan, state, end: hasEnd ? subscription.end : null };
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
    await settle(ctx, customer);
    const subscription = await ctx.db.insert("subscriptions", {
      customer,
      plan: plan._id,
      months: plan.months,
      startedOn,
      isCancelled: false,
      ...trialFrom(startedOn, plan.trialDays),
    });
    // Without a trial, the first period begins now.
    await settle(ctx, customer);
    return subscription;
  },
});

/** Changes to another plan. To change to the present plan does nothing. */
export const changePlan = mutation({
  args: { subscription: v.id("subscriptions"), plan: v.id("plans") },
  returns: v.null(),
  handler: async (ctx, { subscription: id, plan: wanted }) => {
    const subscription = await requireRunning(ctx, id);
    if (wanted === subscription.plan) return null;
    const former = (await ctx.db.get("plans", subscription.plan)) ?? refuse("not_found");
    const plan = (await ctx.db.get("plans", wanted)) ?? refuse("not_found");
    if (!isSameLength(former, plan)) refuse("not_available");
    const day = today();
    const price = await priceOn(ctx, plan._id, day);
    const { customer: customerId, period } = subscription;
    if (period === null) {
      await ctx.db.patch("subscriptions", id, { plan: plan._id });
      return null;
    }
    await ctx.db.patch("subscriptions", id, { plan: plan._id, period: { ...period, price } });
    const left = daysLeft(subscription, day);
    const amount = share(price, left, period.days) - share(period.price, left, period.days);
    if (amount > 0) {
      const text = `Change from ${former.title} to ${plan.title}`;
      await createInvoice(ctx, customerId, { subscription: id, day, amount, text });
    } else if (amount < 0) {
      const customer = (await ctx.db.get("customers", customerId)) ?? refuse("not_found");
      await ctx.db.patch("customers", customerId, { credit: customer.credit - amount });
    }
    return null;
  },
});

/** Pauses from today on; the pause ends by itself on a later day, if one is given. */
export const pause = mutation({
  args: { subscription: v.id("subscriptions"), until: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { subscription: id, until }) => {
    const subscription = await requireRunning(ctx, id);
    if (subscription.isCancelled) refuse("cancelled");
    if (subscription.pause !== null) refuse("paused");
    if (until !== undefined && (!isDay(until) || until <= today())) refuse("invalid");
    await ctx.db.patch("subscriptions", id, pauseFrom(today(), until));
    return null;
  },
});

export const resume = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const subscription = await requireRunning(ctx, id);
    if (subscription.pause === null) refuse("not_paused");
    await ctx.db.patch("subscriptions", id, resumeOn(subscription, today()));
    return null;
  },
});

/** Cancels to the end of the period or trial, in a pause at once. */
export const cancel = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const subscription = await requireRunning(ctx, id);
    if (subscription.isCancelled) refuse("cancelled");
    const isPaused = subscription.pause !== null;
    await ctx.db.patch("subscriptions", id, { isCancelled: true, ...(isPaused ? ENDED : {}) });
    return null;
  },
});

/** Takes a cancellation back. */
export const keep = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const subscription = await requireRunning(ctx, id);
    if (!subscription.isCancelled) refuse("not_cancelled");
    await ctx.db.patch("subscriptions", id, { isCancelled: false });
    return null;
  },
});
