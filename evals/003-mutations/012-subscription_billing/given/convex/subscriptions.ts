// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, type QueryCtx } from "./_generated/server";
import { isDay, today } from "./lib/days";
import { refuse } from "./lib/errors";
import { requireCustomer } from "./lib/session";
import { priceOn } from "./model/prices";
import { isSameLength } from "./model/terms";

/*
 * So far these functions check what customers want, and write the wish down. Nothing is billed, ends
 * or resumes by itself yet.
 */

async function requireOwn(
  ctx: QueryCtx,
  customer: Doc<"customers">,
  id: Id<"subscriptions">,
): Promise<Doc<"subscriptions">> {
  const subscription = await ctx.db.get("subscriptions", id);
  if (subscription === null || subscription.customer !== customer._id) refuse("not_found");
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
    return await ctx.db.insert("subscriptions", {
      customer,
      plan: plan._id,
      startedOn,
      isCancelled: false,
      isPaused: false,
    });
  },
});

/** Changes to another plan. To change to the present plan does nothing. */
export const changePlan = mutation({
  args: { subscription: v.id("subscriptions"), plan: v.id("plans") },
  returns: v.null(),
  handler: async (ctx, { subscription: id, plan: wanted }) => {
    const customer = await requireCustomer(ctx);
    const subscription = await requireOwn(ctx, customer, id);
    if (wanted === subscription.plan) return null;
    const former = (await ctx.db.get("plans", subscription.plan)) ?? refuse("not_found");
    const plan = (await ctx.db.get("plans", wanted)) ?? refuse("not_found");
    if (!isSameLength(former, plan)) refuse("not_available");
    await ctx.db.patch("subscriptions", id, { plan: plan._id });
    return null;
  },
});

/** Pauses from today on; the pause ends by itself on a later day, if one is given. */
export const pause = mutation({
  args: { subscription: v.id("subscriptions"), until: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { subscription: id, until }) => {
    const customer = await requireCustomer(ctx);
    const subscription = await requireOwn(ctx, customer, id);
    if (subscription.isCancelled) refuse("cancelled");
    if (subscription.isPaused) refuse("paused");
    if (until !== undefined && (!isDay(until) || until <= today())) refuse("invalid");
    await ctx.db.patch("subscriptions", id, { isPaused: true });
    return null;
  },
});

export const resume = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const customer = await requireCustomer(ctx);
    const subscription = await requireOwn(ctx, customer, id);
    if (!subscription.isPaused) refuse("not_paused");
    await ctx.db.patch("subscriptions", id, { isPaused: false });
    return null;
  },
});

export const cancel = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const customer = await requireCustomer(ctx);
    const subscription = await requireOwn(ctx, customer, id);
    if (subscription.isCancelled) refuse("cancelled");
    await ctx.db.patch("subscriptions", id, { isCancelled: true });
    return null;
  },
});

/** Takes a cancellation back. */
export const keep = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const customer = await requireCustomer(ctx);
    const subscription = await requireOwn(ctx, customer, id);
    if (!subscription.isCancelled) refuse("not_cancelled");
    await ctx.db.patch("subscriptions", id, { isCancelled: false });
    return null;
  },
});
