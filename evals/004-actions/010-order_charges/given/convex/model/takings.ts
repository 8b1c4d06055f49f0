// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { MutationCtx } from "../_generated/server";

export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** Adds a paid order to the takings of today. */
export async function addTakings(ctx: MutationCtx, amount: number): Promise<void> {
  const day = dayOf(Date.now());
  const row = await ctx.db
    .query("takings")
    .withIndex("by_day", (q) => q.eq("day", day))
    .unique();
  if (row === null) {
    await ctx.db.insert("takings", { day, orders: 1, amount });
    return;
  }
  await ctx.db.patch("takings", row._id, { orders: row.orders + 1, amount: row.amount + amount });
}
