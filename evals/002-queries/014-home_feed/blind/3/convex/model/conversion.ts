// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { QueryCtx } from "../_generated/server";

export function usersWithoutCard(ctx: QueryCtx) {
  return ctx.db.query("users").withIndex("by_card", (q) => q.eq("hasCard", undefined));
}

export function postsWithoutHead(ctx: QueryCtx) {
  return ctx.db.query("posts").withIndex("by_head", (q) => q.eq("hasHead", undefined));
}

/** Whether all users have cards and all posts heads. */
export async function isConverted(ctx: QueryCtx): Promise<boolean> {
  return (
    (await usersWithoutCard(ctx).first()) === null && (await postsWithoutHead(ctx).first()) === null
  );
}
