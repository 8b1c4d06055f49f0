// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/**
 * Return the customer with an id that comes from outside the app; null if there is none.
 *
 * Other systems keep our ids for years, also those of customers who were merged into another
 * since. They mean the customer who is left.
 */
export async function findCustomer(ctx: QueryCtx, text: string): Promise<Doc<"customers"> | null> {
  const id = ctx.db.normalizeId("customers", text);
  if (id === null) {
    return null;
  }
  const customer = await ctx.db.get("customers", id);
  if (customer !== null) {
    return customer;
  }
  const alias = await ctx.db
    .query("aliases")
    .withIndex("by_former", (q) => q.eq("former", id))
    .unique();
  return alias === null ? null : await ctx.db.get("customers", alias.customer);
}
