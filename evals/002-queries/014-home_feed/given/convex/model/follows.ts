// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

export function getFollow(ctx: QueryCtx, follower: Id<"users">, followee: Id<"users">) {
  return ctx.db
    .query("follows")
    .withIndex("by_follower", (q) => q.eq("follower", follower).eq("followee", followee))
    .unique();
}

/** At most MAX_FOLLOWING. */
export function followsOf(ctx: QueryCtx, follower: Id<"users">) {
  return ctx.db
    .query("follows")
    .withIndex("by_follower", (q) => q.eq("follower", follower))
    .collect();
}

export async function endFollow(ctx: MutationCtx, follower: Id<"users">, followee: Id<"users">) {
  const follow = await getFollow(ctx, follower, followee);
  if (follow !== null) await ctx.db.delete("follows", follow._id);
}
