// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";
import { addDays, daysBetween, isDay, today } from "./lib/days";
import { refuse } from "./lib/errors";
import { requireCustomer } from "./lib/session";
import { catchUp, endNow, passTime, resumeOn, type Subscription } from "./model/billing";
import { createInvoice } from "./model/invoices";
import { priceOn } from "./model/prices";
import { isSameLength, MAX_PAUSE_DAYS } from "./model/terms";

async function requireOwn(
  ctx: QueryCtx,
  customer: Doc<"customers">,
  id: Id<"subscriptions">,
): Promise<Subscription> {
  const subscription = await ctx.db.get("subscriptions", id);
  if (subscription === null || subscription.customer !== customer._id) refuse("not_found");
  return subscription;
}

/** Returns the caller's subscription as it is today, for something that is done with it. */
async function requireRunning(ctx: MutationCtx, id: Id<"subscriptions">): Promise<Subscription> {
  const customer = await requireCustomer(ctx);
  await requireOwn(ctx, customer, id);
  await catchUp(ctx, customer._id);
  const subscription = await requireOwn(ctx, customer, id);
  if (subscription.isEnded) refuse("ended");
  return subscription;
}

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
      isCancelled: false,
      isPaused: false,
      isEnded: false,
      end,
      anchor: Number(end.slice(8)),
      nextOn: end,
    });
    await catchUp(ctx, customer);
    return subscription;
  },
});

/** How the caller's subscription stands today. */
export const get = query({
  args: { subscription: v.id("subscriptions"), today: v.string() },
  returns: v.object({
    plan: v.id("plans"),
    state: v.union(
      v.literal("trial"),
      v.literal("active"),
      v.literal("paused"),
      v.literal("ended"),
    ),
    end: v.nullable(v.string()),
  }),
  handler: async (ctx, { subscription: id, today: day }) => {
    const customer = await requireCustomer(ctx);
    let subscription = await requireOwn(ctx, customer, id);
    for await (const occurrence of passTime(ctx, customer._id, day)) {
      if (occurrence.subscription._id === id) subscription = occurrence.subscription;
    }
    const { plan, period, end, isPaused, isEnded } = subscription;
    if (isEnded) return { plan, state: "ended" as const, end: null };
    if (isPaused) return { plan, state: "paused" as const, end: null };
    const state = period === undefined ? ("trial" as const) : ("active" as const);
    return { plan, state, end };
  },
});

/** Changes to another plan. To change to the present plan does nothing. */
export const changePlan = mutation({
  args: { subscription: v.id("subscriptions"), plan: v.id("plans") },
  returns: v.null(),
  handler: async (ctx, { subscription: id, plan: wanted }) => {
    const { customer, period, pause, end, ...present } = await requireRunning(ctx, id);
    if (wanted === present.plan) return null;
    const former = (await ctx.db.get("plans", present.plan)) ?? refuse("not_found");
    const plan = (await ctx.db.get("plans", wanted)) ?? refuse("not_found");
    if (!isSameLength(former, plan)) refuse("not_available");
    const day = today();
    const price = await priceOn(ctx, plan._id, day);
    await ctx.db.patch("subscriptions", id, { plan: plan._id });
    if (period === undefined) return null;
    await ctx.db.patch("subscriptions", id, { period: { ...period, price } });
    const daysLeft = pause?.daysLeft ?? daysBetween(day, end);
    const share = (amount: number) => Math.round((amount * daysLeft) / period.days);
    const amount = share(price) - share(period.price);
    if (amount > 0) {
      await createInvoice(ctx, customer, { subscription: id, day, text: plan.title, amount });
    }
    if (amount < 0) {
      const owner = (await ctx.db.get("customers", customer)) ?? refuse("not_found");
      await ctx.db.patch("customers", customer, { credit: owner.credit - amount });
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
    const day = today();
    if (subscription.isCancelled) refuse("cancelled");
    if (subscription.isPaused) refuse("paused");
    if (until !== undefined && (!isDay(until) || until <= day)) refuse("invalid");
    const last = addDays(day, MAX_PAUSE_DAYS);
    await ctx.db.patch("subscriptions", id, {
      isPaused: true,
      pause: { daysLeft: daysBetween(day, subscription.end) },
      nextOn: until !== undefined && until < last ? until : last,
    });
    return null;
  },
});

export const resume = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const subscription = await requireRunning(ctx, id);
    if (!subscription.isPaused) refuse("not_paused");
    await ctx.db.replace("subscriptions", id, resumeOn(subscription, today()));
    return null;
  },
});

export const cancel = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const subscription = await requireRunning(ctx, id);
    if (subscription.isCancelled) refuse("cancelled");
    const cancelled = { ...subscription, isCancelled: true };
    const after = subscription.isPaused ? endNow(cancelled) : cancelled;
    await ctx.db.replace("subscriptions", id, after);
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
