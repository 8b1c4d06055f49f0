// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { MAX_RANGE, MINUTE, QUARTER } from "../constants";
import { quarterDays, zoneRows } from "./days";
import { eventParts, floorTo, isConverted, storedParts, type Part } from "./totals";

export type MeterReport = {
  meter: string;
  kind: "sum" | "peak";
  // `total` of a peak is null for a day without events.
  days: { day: string; events: number; total: number | null }[];
};

type DayTotal = { day: string; events: number; sum: number; peak: number };

function checkRange(from: number, to: number) {
  if (from % MINUTE !== 0 || to % MINUTE !== 0) throw new ConvexError("not a whole minute");
  if (from < 0 || from >= to || to - from > MAX_RANGE) throw new ConvexError("bad range");
}

/** The days of a range in their order, with what the parts add up to on each. */
function addUp(days: Map<number, string>, parts: Part[]): DayTotal[] {
  const totals = new Map<string, DayTotal>();
  for (const day of [...new Set(days.values())].sort())
    totals.set(day, { day, events: 0, sum: 0, peak: -Infinity });
  for (const { at, events, sum, peak } of parts) {
    const day = days.get(floorTo(at, QUARTER));
    const total = day === undefined ? undefined : totals.get(day);
    if (total === undefined) continue;
    total.events += events;
    total.sum += sum;
    total.peak = Math.max(total.peak, peak);
  }
  return [...totals.values()];
}

/** What each meter of a customer counted on each day of a range, in parts of the first and last. */
export async function reportDays(
  ctx: QueryCtx,
  customer: Doc<"customers">,
  from: number,
  to: number,
): Promise<MeterReport[]> {
  checkRange(from, to);
  const zone = await zoneRows(ctx, customer.zone, from, to);
  const quarters = quarterDays(zone, from, to);
  const converted = await isConverted(ctx);
  const meters = await ctx.db
    .query("meters")
    .withIndex("by_customer", (q) => q.eq("customer", customer._id))
    .collect();
  const reports: MeterReport[] = [];
  for (const { _id, name, kind } of meters) {
    const stored = converted ? addUp(quarters, await storedParts(ctx, _id, from, to)) : null;
    // Greater sums are rounded, so that they depend on the order in which they are added up.
    const exact =
      stored !== null &&
      (kind === "peak" || stored.every(({ sum }) => sum <= Number.MAX_SAFE_INTEGER));
    const totals = exact ? stored : addUp(quarters, await eventParts(ctx, _id, from, to));
    const days = totals.map(({ day, events, sum, peak }) => ({
      day,
      events,
      total: kind === "sum" ? sum : events > 0 ? peak : null,
    }));
    reports.push({ meter: name, kind, days });
  }
  return reports;
}
