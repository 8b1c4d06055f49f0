// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { MINUTE, QUARTER } from "../constants";

export async function zoneRows(ctx: QueryCtx, name: string): Promise<Doc<"zones">[]> {
  const rows = await ctx.db
    .query("zones")
    .withIndex("by_name", (q) => q.eq("name", name))
    .collect();
  if (rows.length === 0) throw new ConvexError("no such zone");
  return rows;
}

/** The day of a moment in a zone, such as "2026-03-29". */
export function dayOf(zone: Doc<"zones">[], at: number): string {
  const offset = zone.findLast((row) => row.since <= at)?.offset ?? 0;
  return new Date(at + offset * MINUTE).toISOString().slice(0, 10);
}

/** All days that have a part in a range, in their order. They may have 23 or 25 hours. */
export function listDays(zone: Doc<"zones">[], from: number, to: number): string[] {
  const days = new Set<string>();
  for (let at = from; at < to; at += QUARTER) days.add(dayOf(zone, at));
  days.add(dayOf(zone, to - 1));
  return [...days].sort();
}
