// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, mutation } from "./_generated/server";
import { changePrice } from "./catalog/pricing";
import { findProduct } from "./catalog/products";
import { requireStaff } from "./lib/access";

const URL = "https://supplier.example/prices";

/** Asks the supplier for its list, which can take minutes. */
export const refresh = mutation({
  args: {},
  handler: async (ctx) => {
    await requireStaff(ctx);
    await ctx.scheduler.runAfter(0, internal.supplier.fetchList, {});
    return null;
  },
});

export const fetchList = internalAction({
  args: {},
  handler: async (ctx) => {
    const reply = await fetch(URL);
    if (!reply.ok) throw new Error(`the supplier answered ${reply.status}`);
    const { rows } = (await reply.json()) as { rows: { sku: string; price: number }[] };
    const cents = rows.map(({ sku, price }) => ({ sku, cents: Math.round(price * 100) }));
    await ctx.runMutation(internal.supplier.store, { rows: cents });
  },
});

/** Sets the prices of the list; what we do not sell is left out. */
export const store = internalMutation({
  args: { rows: v.array(v.object({ sku: v.string(), cents: v.number() })) },
  handler: async (ctx, { rows }) => {
    for (const { sku, cents } of rows) {
      const product = await findProduct(ctx, sku);
      if (product !== null) await changePrice(ctx, product, cents / 100, "supplier");
    }
  },
});
