// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { MINUTE, QUARTER } from "../constants";
import { floorTo } from "./totals";

export async function requireZone(ctx: QueryCtx, name: string) {
  const row = await ctx.db
    .query("zones")
    .withIndex("by_name", (q) => q.eq("name", name))
    .first();
  if (row === null) throw new ConvexError("no such zone");
}

/** The rows of a zone that hold in a range, in their order. */
export async function zoneRows(
  ctx: QueryCtx,
  name: string,
  from: number,
  to: number,
): Promise<Doc<"zones">[]> {
  const first = await ctx.db
    .query("zones")
    .withIndex("by_name", (q) => q.eq("name", name).lte("since", from))
    .order("desc")
    .first();
  const later = await ctx.db
    .query("zones")
    .withIndex("by_name", (q) => q.eq("name", name).gt("since", from).lt("since", to))
    .collect();
  if (first !== null) return [first, ...later];
  if (later.length === 0) await requireZone(ctx, name);
  return later;
}

/** The day of a moment in a zone, such as "2026-03-29". */
function dayOf(zone: Doc<"zones">[], at: number): string {
  const offset = zone.findLast((row) => row.since <= at)?.offset ?? 0;
  return new Date(at + offset * MINUTE).toISOString().slice(0, 10);
}

/**
 * The day of each quarter of an hour that has a part in a range, by the moment at which the quarter
 * begins. No quarter belongs to two days; a day may have 23 or 25 hours.
 */
export function quarterDays(zone: Doc<"zones">[], from: number, to: number): Map<number, string> {
  const days = new Map<number, string>();
  for (let at = floorTo(from, QUARTER); at < to; at += QUARTER)
    days.set(at, dayOf(zone, Math.max(at, from)));
  return days;
}
