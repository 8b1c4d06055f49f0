// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { fireAlerts } from "../alerts";
import { checkPrice, toEuros, toStored } from "../lib/prices";

/**
 * Every change of a product's price, in euros, goes through here: it is logged, and customers are told.
 */
export async function changePrice(
  ctx: MutationCtx,
  product: Doc<"products">,
  price: number,
  by: string,
): Promise<void> {
  checkPrice(price);
  if (price === toEuros(product.price)) return;
  await ctx.db.patch("products", product._id, { price: toStored(price) });
  await logPrice(ctx, product.sku, price, by);
  await fireAlerts(ctx, product.sku, price);
}

export async function logPrice(
  ctx: MutationCtx,
  sku: string,
  price: number,
  by: string,
): Promise<void> {
  await ctx.db.insert("priceLog", { sku, price: toStored(price), by });
}
