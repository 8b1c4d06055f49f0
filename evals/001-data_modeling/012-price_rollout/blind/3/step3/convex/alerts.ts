// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query, type MutationCtx } from "./_generated/server";
import { requireCustomer } from "./lib/access";
import { checkPrice, toEuros, toStored } from "./lib/prices";

/** Tells all customers who wait for this price or a higher one; each is told once. */
export async function fireAlerts(ctx: MutationCtx, sku: string, euros: number): Promise<void> {
  const price = toStored(euros);
  const alerts = await ctx.db
    .query("alerts")
    .withIndex("by_sku_and_price", (q) => q.eq("sku", sku).gte("price", price))
    .take(1000);
  for (const { _id, customer } of alerts) {
    await ctx.db.insert("notices", { customer, sku, price });
    await ctx.db.delete("alerts", _id);
  }
}

/** A customer has one alert for a product: the newer price takes the place of the older. */
export const watch = mutation({
  args: { sku: v.string(), price: v.number() },
  handler: async (ctx, { sku, price: euros }) => {
    const customer = await requireCustomer(ctx);
    checkPrice(euros);
    const price = toStored(euros);
    const alert = await ctx.db
      .query("alerts")
      .withIndex("by_customer_and_sku", (q) => q.eq("customer", customer).eq("sku", sku))
      .unique();
    if (alert === null) await ctx.db.insert("alerts", { customer, sku, price });
    else await ctx.db.patch("alerts", alert._id, { price });
    return null;
  },
});

export const unwatch = mutation({
  args: { sku: v.string() },
  handler: async (ctx, { sku }) => {
    const customer = await requireCustomer(ctx);
    const alert = await ctx.db
      .query("alerts")
      .withIndex("by_customer_and_sku", (q) => q.eq("customer", customer).eq("sku", sku))
      .unique();
    if (alert !== null) await ctx.db.delete("alerts", alert._id);
    return null;
  },
});

/** What the caller waits for, by product. */
export const mine = query({
  args: {},
  handler: async (ctx) => {
    const customer = await requireCustomer(ctx);
    const alerts = await ctx.db
      .query("alerts")
      .withIndex("by_customer_and_sku", (q) => q.eq("customer", customer))
      .take(100);
    return alerts.map(({ sku, price }) => ({ sku, price: toEuros(price) }));
  },
});

/** What the caller was told, the oldest first. */
export const notices = query({
  args: {},
  handler: async (ctx) => {
    const customer = await requireCustomer(ctx);
    const told = await ctx.db
      .query("notices")
      .withIndex("by_customer", (q) => q.eq("customer", customer))
      .take(100);
    return told.map(({ sku, price }) => ({ sku, price: toEuros(price) }));
  },
});
