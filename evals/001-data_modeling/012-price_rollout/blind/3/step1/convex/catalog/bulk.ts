// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "../_generated/server";
import { requireStaff } from "../lib/access";
import { checkPrice, leastCents, takeOff, toEuros, toStored } from "../lib/prices";
import { changePrice, logPrice } from "./pricing";
import { findProduct, requireFreeSku, requireProduct } from "./products";
import { findCheapest } from "./shelves";

/** Stores a list of the till: products that exist get the price, others are added. */
export const load = mutation({
  args: {
    shelf: v.string(),
    rows: v.array(v.object({ sku: v.string(), name: v.string(), price: v.number() })),
  },
  handler: async (ctx, { shelf, rows }) => {
    const by = await requireStaff(ctx);
    for (const { sku, name, price } of rows) {
      checkPrice(price);
      const product = await findProduct(ctx, sku);
      if (product !== null) {
        await changePrice(ctx, product, price, by);
      } else {
        await requireFreeSku(ctx, sku);
        await ctx.db.insert("products", { sku, name, shelf, price: toStored(price) });
        await logPrice(ctx, sku, price, by);
      }
    }
    return null;
  },
});

/** Makes the cheapest products of a shelf cheaper still, at most 100 of them. */
export const cut = mutation({
  args: { shelf: v.string(), percent: v.number(), below: v.number() },
  handler: async (ctx, { shelf, percent, below }) => {
    const by = await requireStaff(ctx);
    if (!(percent > 0 && percent < 100)) throw new ConvexError({ code: "bad_percent" });
    // The highest price below `below`.
    const to = (leastCents(below) - 1) / 100;
    const products = await findCheapest(ctx, shelf, 100, { from: -Infinity, to });
    for (const product of products) {
      await changePrice(ctx, product, takeOff(toEuros(product.price), percent), by);
    }
    return products.length;
  },
});

/** Puts a second size, colour or packing of a product on its shelf. */
export const duplicate = mutation({
  args: { sku: v.string(), as: v.string() },
  handler: async (ctx, { sku, as }) => {
    const by = await requireStaff(ctx);
    const { name, shelf, price } = await requireProduct(ctx, sku);
    await requireFreeSku(ctx, as);
    const euros = toEuros(price);
    await ctx.db.insert("products", { sku: as, name, shelf, price: toStored(euros) });
    await logPrice(ctx, as, euros, by);
    return null;
  },
});
