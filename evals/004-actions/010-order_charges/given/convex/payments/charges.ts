// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation, internalQuery } from "../_generated/server";
import { addPoints, sendReceipt } from "../model/rewards";
import { releaseGoods } from "../model/stock";
import { addTakings } from "../model/takings";
import { requestCharge } from "./paylane";

export const charge = internalAction({
  args: { order: v.id("orders") },
  returns: v.null(),
  handler: async (ctx, { order }) => {
    const request = await ctx.runQuery(internal.payments.charges.describe, { order });
    if (request === null) return null;
    try {
      const reply = await requestCharge(request, crypto.randomUUID());
      await ctx.runMutation(internal.payments.charges.finish, { order, ...reply });
    } catch (error) {
      console.error("Paylane", request.reference, error);
      const refusal = "The payment service cannot be reached.";
      await ctx.runMutation(internal.payments.charges.finish, { order, refusal });
    }
    return null;
  },
});

export const describe = internalQuery({
  args: { order: v.id("orders") },
  returns: v.nullable(
    v.object({ amount: v.number(), card: v.string(), reference: v.string() }),
  ),
  handler: async (ctx, { order: id }) => {
    const order = await ctx.db.get("orders", id);
    if (order === null || order.state !== "charging") return null;
    return { amount: order.total, card: order.card, reference: order.number };
  },
});

export const finish = internalMutation({
  args: {
    order: v.id("orders"),
    charge: v.optional(v.string()),
    refusal: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { order: id, charge: paidBy, refusal }) => {
    const order = await ctx.db.get("orders", id);
    if (order === null) return null;
    if (paidBy === undefined) {
      await releaseGoods(ctx, order.lines);
      await ctx.db.patch("orders", id, { state: "refused", refusal });
      return null;
    }
    await ctx.db.patch("orders", id, { state: "paid", charge: paidBy });
    await addTakings(ctx, order.total);
    const customer = await ctx.db.get("customers", order.customer);
    if (customer !== null) {
      await addPoints(ctx, customer, order.total);
      await sendReceipt(ctx, customer, order.number, order.total);
    }
    return null;
  },
});
