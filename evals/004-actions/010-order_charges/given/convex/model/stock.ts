// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { refuse } from "../lib/errors";

type Lines = Doc<"orders">["lines"];

/** Takes the goods of an order from stock, all or none. */
export async function holdGoods(ctx: MutationCtx, lines: Lines): Promise<void> {
  for (const { product, quantity } of lines) {
    const goods = await ctx.db.get("products", product);
    if (goods === null || goods.stock < quantity) refuse("sold_out");
    await ctx.db.patch("products", product, { stock: goods.stock - quantity });
  }
}

/** Gives the goods of an order back. Products that are no longer sold are left out. */
export async function releaseGoods(ctx: MutationCtx, lines: Lines): Promise<void> {
  for (const { product, quantity } of lines) {
    const goods = await ctx.db.get("products", product);
    if (goods !== null) {
      await ctx.db.patch("products", product, { stock: goods.stock + quantity });
    }
  }
}
