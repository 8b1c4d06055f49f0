// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import { query, type QueryCtx } from "../_generated/server";
import { requireCustomer } from "../lib/access";
import { sumLines } from "../lib/prices";
import { readLines } from "./lines";

/** Returns an order of the caller. */
export async function requireOrder(ctx: QueryCtx, id: Id<"orders">): Promise<Doc<"orders">> {
  const customer = await requireCustomer(ctx);
  const order = await ctx.db.get("orders", id);
  if (order?.customer !== customer) throw new ConvexError({ code: "no_order" });
  return order;
}

export async function requireOpen(ctx: QueryCtx, id: Id<"orders">): Promise<Doc<"orders">> {
  const order = await requireOrder(ctx, id);
  if (order.status !== "open") throw new ConvexError({ code: "closed" });
  return order;
}

function showOrder(order: Doc<"orders">) {
  const lines = readLines(order);
  return { status: order.status, lines, total: sumLines(lines) };
}

export const get = query({
  args: { order: v.id("orders") },
  handler: async (ctx, { order }) => showOrder(await requireOrder(ctx, order)),
});

/** The caller's orders, the newest first. */
export const mine = query({
  args: {},
  handler: async (ctx) => {
    const customer = await requireCustomer(ctx);
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_customer", (q) => q.eq("customer", customer))
      .order("desc")
      .take(20);
    return orders.map(showOrder);
  },
});
