// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireCustomer } from "./lib/session";
import { beginCharge, watchCancelled } from "./model/charges";
import { getOwnOrder, showOrder, takeNumber } from "./model/orders";
import { giveBack } from "./model/refunds";
import { takePointsBack } from "./model/rewards";
import { holdGoods, releaseGoods } from "./model/stock";
import { orderState } from "./schema";

const shownOrder = v.object({
  id: v.id("orders"),
  number: v.string(),
  lines: v.array(v.object({ title: v.string(), quantity: v.number(), price: v.number() })),
  total: v.number(),
  state: orderState,
  refusal: v.nullable(v.string()),
});

/** Places an order and begins to charge the card, which is a token of Paylane's card form. */
export const place = mutation({
  args: {
    lines: v.array(v.object({ product: v.id("products"), quantity: v.number() })),
    card: v.string(),
  },
  returns: v.id("orders"),
  handler: async (ctx, { lines: wanted, card }) => {
    const customer = await requireCustomer(ctx);
    if (wanted.length === 0 || wanted.length > 50) refuse("invalid");
    const lines = [];
    for (const { product, quantity } of wanted) {
      if (!Number.isInteger(quantity) || quantity < 1) refuse("invalid");
      const goods = (await ctx.db.get("products", product)) ?? refuse("not_found");
      lines.push({ product, title: goods.title, quantity, price: goods.price });
    }
    await holdGoods(ctx, lines);
    const order = await ctx.db.insert("orders", {
      number: await takeNumber(ctx),
      customer: customer._id,
      lines,
      total: lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0),
      card,
      state: "charging",
      placedAt: Date.now(),
    });
    await beginCharge(ctx, order, card);
    return order;
  },
});

/** Charges a refused order again. */
export const payAgain = mutation({
  args: { order: v.id("orders"), card: v.string() },
  returns: v.null(),
  handler: async (ctx, { order: id, card }) => {
    const customer = await requireCustomer(ctx);
    const order = await getOwnOrder(ctx, customer, id);
    if (order.state !== "refused") refuse("closed");
    await holdGoods(ctx, order.lines);
    await ctx.db.patch("orders", id, { card, state: "charging", refusal: undefined });
    await beginCharge(ctx, id, card);
    return null;
  },
});

/** Cancels an order that was not shipped; what was paid goes back. To cancel twice does no harm. */
export const cancel = mutation({
  args: { order: v.id("orders") },
  returns: v.null(),
  handler: async (ctx, { order: id }) => {
    const customer = await requireCustomer(ctx);
    const order = await getOwnOrder(ctx, customer, id);
    if (order.state === "cancelled") return null;
    if (order.state === "shipped") refuse("closed");
    if (order.state !== "refused") await releaseGoods(ctx, order.lines);
    await ctx.db.patch("orders", id, { state: "cancelled" });
    if (order.state === "charging") await watchCancelled(ctx, order);
    if (order.state === "paid" && order.charge !== undefined) {
      await takePointsBack(ctx, customer, order.total);
      await giveBack(ctx, { order: id, charge: order.charge, amount: order.total });
    }
    return null;
  },
});

export const get = query({
  args: { order: v.id("orders") },
  returns: shownOrder,
  handler: async (ctx, { order }) => {
    const customer = await requireCustomer(ctx);
    return showOrder(await getOwnOrder(ctx, customer, order));
  },
});

/** The customer's newest orders. */
export const mine = query({
  args: {},
  returns: v.array(shownOrder),
  handler: async (ctx) => {
    const customer = await requireCustomer(ctx);
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_customer", (q) => q.eq("customer", customer._id))
      .order("desc")
      .take(20);
    return orders.map(showOrder);
  },
});
