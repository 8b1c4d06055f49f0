// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { refuse } from "../lib/errors";
import { reduce } from "../lib/money";
import { requireStaff } from "../lib/session";
import { hurry } from "../model/attempts";
import { orderState } from "../schema";

/** The oldest orders in a state. */
export const inState = query({
  args: { state: orderState },
  handler: async (ctx, { state }) => {
    await requireStaff(ctx);
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_state_and_placed", (q) => q.eq("state", state))
      .take(50);
    return orders.map(({ _id, number, total, placedAt }) => ({ id: _id, number, total, placedAt }));
  },
});

/** The button "Try now" beside an order that is being charged. */
export const chargeNow = mutation({
  args: { order: v.id("orders") },
  returns: v.null(),
  handler: async (ctx, { order: id }) => {
    await requireStaff(ctx);
    const order = (await ctx.db.get("orders", id)) ?? refuse("not_found");
    if (order.state !== "charging") refuse("closed");
    await hurry(ctx, order);
    return null;
  },
});

/** Makes an order cheaper that is not paid. What Paylane was asked for before stays as it is. */
export const discount = mutation({
  args: { order: v.id("orders"), percent: v.number() },
  returns: v.null(),
  handler: async (ctx, { order: id, percent }) => {
    await requireStaff(ctx);
    const order = (await ctx.db.get("orders", id)) ?? refuse("not_found");
    if (order.state !== "charging" && order.state !== "refused") refuse("closed");
    if (!(percent > 0 && percent < 100)) refuse("invalid");
    await ctx.db.patch("orders", id, { total: reduce(order.total, percent) });
    return null;
  },
});

export const ship = mutation({
  args: { order: v.id("orders") },
  returns: v.null(),
  handler: async (ctx, { order: id }) => {
    await requireStaff(ctx);
    const order = (await ctx.db.get("orders", id)) ?? refuse("not_found");
    if (order.state !== "paid") refuse("closed");
    await ctx.db.patch("orders", id, { state: "shipped" });
    return null;
  },
});
