// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { DAY, MAX_RANGE, MINUTE } from "../constants";
import { dayOf, listDays, zoneRows } from "./days";
import { NO_PEAK, talliesOf } from "./tallies";

export type MeterReport = {
  meter: string;
  kind: "sum" | "peak";
  // `total` of a peak is null for a day without events.
  days: { day: string; events: number; total: number | null }[];
};

function checkRange(from: number, to: number) {
  if (from % MINUTE !== 0 || to % MINUTE !== 0) throw new ConvexError("not a whole minute");
  if (from < 0 || from >= to || to - from > MAX_RANGE) throw new ConvexError("bad range");
}

type Add = (at: number, events: number, sum: number, peak: number) => void;

async function addTallies(
  ctx: QueryCtx,
  meter: Id<"meters">,
  from: number,
  to: number,
  add: Add,
) {
  for await (const { day, events, sums, peaks } of talliesOf(ctx, meter, from, to))
    for (const [minute, count] of events.entries()) {
      const at = day * DAY + minute * MINUTE;
      if (count > 0 && at >= from && at < to) add(at, count, sums[minute], peaks[minute]);
    }
}

async function addEvents(ctx: QueryCtx, meter: Id<"meters">, from: number, to: number, add: Add) {
  const events = ctx.db
    .query("events")
    .withIndex("by_meter", (q) => q.eq("meter", meter).gte("at", from).lt("at", to));
  for await (const { at, amount, retracted } of events)
    if (!retracted) add(at, 1, amount, amount);
}

/** What each meter of a customer counted on each day of a range, in parts of the first and last. */
export async function reportDays(
  ctx: QueryCtx,
  customer: Doc<"customers">,
  from: number,
  to: number,
): Promise<MeterReport[]> {
  checkRange(from, to);
  const migration = await ctx.db.query("migration").unique();
  const addAll = migration?.isDone ? addTallies : addEvents;
  const zone = await zoneRows(ctx, customer.zone);
  const meters = await ctx.db
    .query("meters")
    .withIndex("by_customer", (q) => q.eq("customer", customer._id))
    .collect();
  const reports: MeterReport[] = [];
  for (const { _id, name, kind } of meters) {
    const figures = new Map(
      listDays(zone, from, to).map((day) => [day, { events: 0, sum: 0, peak: NO_PEAK }]),
    );
    await addAll(ctx, _id, from, to, (at, events, sum, peak) => {
      const figure = figures.get(dayOf(zone, at));
      if (figure === undefined) return;
      figure.events += events;
      figure.sum += sum;
      figure.peak = Math.max(figure.peak, peak);
    });
    const days = [...figures].map(([day, { events, sum, peak }]) => ({
      day,
      events,
      total: kind === "sum" ? sum : peak === NO_PEAK ? null : peak,
    }));
    reports.push({ meter: name, kind, days });
  }
  return reports;
}
