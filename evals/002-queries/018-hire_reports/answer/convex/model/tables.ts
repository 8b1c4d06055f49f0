// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

export type Item = Doc<"items">;
export type Booking = Doc<"bookings">;

/** The view `live`. */
export async function listLive(ctx: QueryCtx): Promise<Booking[]> {
  const bookings = await ctx.db.query("bookings").withIndex("by_number").collect();
  return bookings.filter(({ state }) => state !== null && state !== "cancelled");
}

export async function listItems(ctx: QueryCtx): Promise<Item[]> {
  return await ctx.db.query("items").withIndex("by_number").collect();
}
