// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";

import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/** The distance between two cards at the end of a list. */
export const STEP = 1024;

/** Where a card goes in a list: directly before or after another card, or below all others. */
export const placeValidator = v.union(
  v.object({ kind: v.literal("before"), card: v.id("cards") }),
  v.object({ kind: v.literal("after"), card: v.id("cards") }),
  v.object({ kind: v.literal("bottom") }),
);

export type Place = Infer<typeof placeValidator>;

/**
 * Returns the rank for a place in a list. If the other card is not in the list any more, because
 * somebody moved or removed it meanwhile, the place is the bottom.
 */
export async function rankFor(
  ctx: QueryCtx,
  list: Id<"lists">,
  place: Place,
  moved?: Id<"cards">,
): Promise<number> {
  const other = place.kind === "bottom" ? null : await ctx.db.get("cards", place.card);
  if (place.kind === "bottom" || other === null || other.list !== list) {
    const last = await neighbour(ctx, list, "desc", Infinity, moved);
    return last === undefined ? STEP : last.rank + STEP;
  }
  if (place.kind === "before") {
    const above = await neighbour(ctx, list, "desc", other.rank, moved);
    return above === undefined ? other.rank - STEP : (above.rank + other.rank) / 2;
  }
  const below = await neighbour(ctx, list, "asc", other.rank, moved);
  return below === undefined ? other.rank + STEP : (other.rank + below.rank) / 2;
}

/** Returns the next card above ("desc") or below ("asc") a rank, other than the moved one. */
async function neighbour(
  ctx: QueryCtx,
  list: Id<"lists">,
  order: "asc" | "desc",
  rank: number,
  moved: Id<"cards"> | undefined,
): Promise<Doc<"cards"> | undefined> {
  const nearest = await ctx.db
    .query("cards")
    .withIndex("by_list", (q) =>
      order === "asc" ? q.eq("list", list).gt("rank", rank) : q.eq("list", list).lt("rank", rank),
    )
    .order(order)
    .take(2);
  return nearest.find((card) => card._id !== moved);
}
