// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/*
 * - Of a merged account only a row in `merges` is left, which tells for ever what its id means. This
 *   row always names a rider who is there, also when accounts are merged one after the other.
 * - Until all its rows have moved, rows that name the account are the rider's as well.
 * - So ids from arguments, jobs and rows that move slowly are looked up here before they are compared
 *   or stored.
 */

/** Returns the rider whom an id means. */
export async function findRider(
  ctx: QueryCtx,
  id: Id<"riders">,
): Promise<Doc<"riders"> | null> {
  const rider = await ctx.db.get("riders", id);
  if (rider !== null) return rider;
  const merge = await ctx.db
    .query("merges")
    .withIndex("by_from", (q) => q.eq("from", id))
    .unique();
  return merge && (await ctx.db.get("riders", merge.into));
}

/** Returns the present id of the rider whom an id means. */
export async function currentId(ctx: QueryCtx, id: Id<"riders">): Promise<Id<"riders">> {
  const rider = await findRider(ctx, id);
  return rider?._id ?? id;
}

/** Returns all ids under which rows of a rider may stand, the present one first. */
export async function idsOf(ctx: QueryCtx, id: Id<"riders">): Promise<Id<"riders">[]> {
  const current = await currentId(ctx, id);
  const merges = await ctx.db
    .query("merges")
    .withIndex("by_into_and_isMoved", (q) => q.eq("into", current).eq("isMoved", false))
    .collect();
  return [current, ...merges.map(({ from }) => from)];
}
