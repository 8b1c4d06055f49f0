// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/*
 * - An account that was merged stays as a row, so that its id keeps its meaning, and names the account
 *   that it is a part of, directly: `mergedInto` never leads to a merged account.
 * - Logins, clubs, memberships, bans, credit and the number of unread notices are moved at once. Rows
 *   of `signups`, `entries`, `notices`, `topUps` and `rides` name the merged account until they are
 *   moved. No new row names one: every id from outside or from such a row goes through `currentId`.
 */

/** Returns the rider whom an id means: that of the account that the id's account is a part of. */
export async function currentRider(
  ctx: QueryCtx,
  id: Id<"riders">,
): Promise<Doc<"riders"> | null> {
  const rider = await ctx.db.get("riders", id);
  if (rider?.mergedInto === undefined) return rider;
  return await ctx.db.get("riders", rider.mergedInto);
}

/** Returns the id of the rider whom an id means. */
export async function currentId(ctx: QueryCtx, id: Id<"riders">): Promise<Id<"riders">> {
  const rider = await currentRider(ctx, id);
  return rider?._id ?? id;
}

/** Returns all ids by which rows may name a rider; the first is the present one. */
export async function idsOf(ctx: QueryCtx, id: Id<"riders">): Promise<Id<"riders">[]> {
  const current = await currentId(ctx, id);
  const moving = await ctx.db
    .query("riders")
    .withIndex("by_merged_into", (q) => q.eq("mergedInto", current).eq("isMoving", true))
    .collect();
  return [current, ...moving.map(({ _id }) => _id)];
}
