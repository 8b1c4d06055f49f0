// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/*
 * Only people of the station reach this deployment. Refusals are errors whose data is `{ code }`:
 * "gone", "no_place", "frozen" or "played".
 */

export function refuse(code: string): never {
  throw new ConvexError({ code });
}

/** Returns a track of a show that is not frozen. */
export async function movableTrack(ctx: QueryCtx, id: Id<"tracks">): Promise<Doc<"tracks">> {
  const track = await ctx.db.get("tracks", id);
  if (track === null) return refuse("gone");
  const show = await ctx.db.get("shows", track.show);
  if (show === null || show.isFrozen) return refuse("frozen");
  if (track.isPlayed) return refuse("played");
  return track;
}
