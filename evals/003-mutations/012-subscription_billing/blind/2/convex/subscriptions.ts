// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";
import { isDay, today } from "./lib/days";
import { refuse } from "./lib/errors";
import { requireCustomer } from "./lib/session";
import { catchUp, invoicePeriod } from "./model/billing";
import { begin, goOn, pauseOn, resumeOn, shareLeft } from "./model/course";
import { createInvoice } from "./model/invoices";
import { priceOn } from "./model/prices";
import { isSameLength } from "./model/terms";

async function requireOwn(
  ctx: QueryCtx,
  customer: Id<"customers">,
  id: Id<"subscriptions">,
): Promise<Doc<"subscriptions">> {
  const subscription = await ctx.db.get("subscriptions", id);
  if (subscription === null || subscription.customer !== customer) refuse("not_found");
  return subscription;
}

/** Returns a subscription of the caller, as it stands today, with which something can be done. */
async function requireUsable(
  ctx: MutationCtx,
  id: Id<"subscriptions">,
): Promise<Doc<"subscriptions">> {
  const { _id: customer } = await requireCustomer(ctx);
  await catchUp(ctx, customer, today());
  const subscription = await requireOwn(ctx, customer, id);
  if (subscription.nextOn === undefined) refuse("ended");
  return subscription;
}

const state = v.union(
  v.literal("trial"),
  v.literal("active"),
  v.literal("paused"),
  v.literal("ended"),
);

/** How a subscription of the caller stands today. */
export const get = query({
  args: { subscription: v.id("subscriptions"), today: v.string() },
  returns: v.object({ plan: v.id("plans"), state, end: v.nullable(v.string()) }),
  handler: async (ctx, { subscription: id, today: day }) => {
    const { _id: customer } = await requireCustomer(ctx);
    const stored = await requireOwn(ctx, customer, id);
    if (!isDay(day)) refuse("invalid");
    const plan = (await ctx.db.get("plans", stored.plan)) ?? refuse("not_found");
    const { subscription } = goOn(stored, plan.months, day);
    if (subscription.nextOn === undefined) {
      return { plan: plan._id, state: "ended" as const, end: null };
    }
    if (subscription.pausedOn !== undefined) {
      return { plan: plan._id, state: "paused" as const, end: null };
    }
    const running = subscription.isTrial ? ("trial" as const) : ("active" as const);
    return { plan: plan._id, state: running, end: subscription.end };
  },
});

export const start = mutation({
  args: { plan: v.id("plans") },
  returns: v.id("subscriptions"),
  handler: async (ctx, { plan: id }) => {
    const { _id: customer } = await requireCustomer(ctx);
    const plan = (await ctx.db.get("plans", id)) ?? refuse("not_found");
    const day = today();
    const price = await priceOn(ctx, plan._id, day);
    await catchUp(ctx, customer, day);
    const beginning = begin(plan, day);
    const subscription = await ctx.db.insert("subscriptions", {
      ...beginning,
      customer,
      plan: plan._id,
      startedOn: day,
      isCancelled: false,
      price: beginning.isTrial ? 0 : price,
    });
    if (!beginning.isTrial) {
      await invoicePeriod(ctx, customer, subscription, { title: plan.title, day, price });
    }
    return subscription;
  },
});

/** Changes to another plan. To change to the present plan does nothing. */
export const changePlan = mutation({
  args: { subscription: v.id("subscriptions"), plan: v.id("plans") },
  returns: v.null(),
  handler: async (ctx, { subscription: id, plan: wanted }) => {
    const subscription = await requireUsable(ctx, id);
    if (wanted === subscription.plan) return null;
    const former = (await ctx.db.get("plans", subscription.plan)) ?? refuse("not_found");
    const plan = (await ctx.db.get("plans", wanted)) ?? refuse("not_found");
    if (!isSameLength(former, plan)) refuse("not_available");
    if (subscription.isTrial) {
      await ctx.db.patch("subscriptions", id, { plan: plan._id });
      return null;
    }

    const day = today();
    const price = await priceOn(ctx, plan._id, day);
    await ctx.db.patch("subscriptions", id, { plan: plan._id, price });
    const amount =
      shareLeft(subscription, price, day) - shareLeft(subscription, subscription.price, day);
    if (amount > 0) {
      const text = `Change to ${plan.title}`;
      await createInvoice(ctx, subscription.customer, { subscription: id, day, text, amount });
    } else if (amount < 0) {
      const customer =
        (await ctx.db.get("customers", subscription.customer)) ?? refuse("not_found");
      await ctx.db.patch("customers", customer._id, { credit: customer.credit - amount });
    }
    return null;
  },
});

/** Pauses from today on; the pause ends by itself on a later day, if one is given. */
export const pause = mutation({
  args: { subscription: v.id("subscriptions"), until: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { subscription: id, until }) => {
    const subscription = await requireUsable(ctx, id);
    if (subscription.isCancelled) refuse("cancelled");
    if (subscription.pausedOn !== undefined) refuse("paused");
    const day = today();
    if (until !== undefined && (!isDay(until) || until <= day)) refuse("invalid");
    await ctx.db.patch("subscriptions", id, pauseOn(day, until));
    return null;
  },
});

export const resume = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const subscription = await requireUsable(ctx, id);
    if (subscription.pausedOn === undefined) refuse("not_paused");
    await ctx.db.patch(
      "subscriptions",
      id,
      resumeOn(subscription, subscription.pausedOn, today()),
    );
    return null;
  },
});

/** Cancels for the end of the period or trial; in a pause, at once. */
export const cancel = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const subscription = await requireUsable(ctx, id);
    if (subscription.isCancelled) refuse("cancelled");
    const isPaused = subscription.pausedOn !== undefined;
    await ctx.db.patch("subscriptions", id, {
      isCancelled: true,
      ...(isPaused ? { pausedOn: undefined, nextOn: undefined } : {}),
    });
    return null;
  },
});

/** Takes a cancellation back. */
export const keep = mutation({
  args: { subscription: v.id("subscriptions") },
  returns: v.null(),
  handler: async (ctx, { subscription: id }) => {
    const subscription = await requireUsable(ctx, id);
    if (!subscription.isCancelled) refuse("not_cancelled");
    await ctx.db.patch("subscriptions", id, { isCancelled: false });
    return null;
  },
});
