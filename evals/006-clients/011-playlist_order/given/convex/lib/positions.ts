// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/** The distance between two tracks at the end of a show. */
export const STEP = 1024;

/** Returns the position at the end of a show. */
export async function positionAtEnd(ctx: QueryCtx, show: Id<"shows">): Promise<number> {
  const last = await ctx.db
    .query("tracks")
    .withIndex("by_show", (q) => q.eq("show", show))
    .order("desc")
    .first();
  return last === null ? STEP : last.position + STEP;
}

/** Returns the track directly below another one, as it is without a track that is being moved. */
export async function trackBelow(
  ctx: QueryCtx,
  { show, position }: Doc<"tracks">,
  moved: Id<"tracks">,
): Promise<Doc<"tracks"> | undefined> {
  const next = await ctx.db
    .query("tracks")
    .withIndex("by_show", (q) => q.eq("show", show).gt("position", position))
    .take(2);
  return next.find((track) => track._id !== moved);
}
