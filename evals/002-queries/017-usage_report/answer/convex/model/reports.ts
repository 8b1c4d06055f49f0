// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { DAY, MAX_RANGE, MINUTE, QUARTER } from "../constants";
import { dayOf, listDays, zoneRows } from "./days";
import { addSlots, EMPTY, MINUTES, QUARTERS, tallyOf, type Slot } from "./tallies";

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

type Days = Map<string, Slot>;

function addTo(days: Days, day: string, slot: Slot) {
  const sum = days.get(day);
  if (sum !== undefined) days.set(day, addSlots(sum, slot));
}

/** What happened in a part of a quarter. */
async function countMinutes(
  ctx: QueryCtx,
  meter: Id<"meters">,
  quarter: number,
  from: number,
  to: number,
): Promise<Slot> {
  const tally = await tallyOf(ctx, meter, "quarter", quarter);
  const first = quarter * MINUTES;
  return (tally?.slots ?? [])
    .filter((_, index) => (first + index) * MINUTE >= from && (first + index) * MINUTE < to)
    .reduce(addSlots, EMPTY);
}

async function addTallies(
  ctx: QueryCtx,
  zone: Doc<"zones">[],
  meter: Id<"meters">,
  days: Days,
  from: number,
  to: number,
) {
  const tallies = ctx.db
    .query("tallies")
    .withIndex("by_meter", (q) =>
      q
        .eq("meter", meter)
        .eq("span", "day")
        .gte("place", Math.floor(from / DAY))
        .lte("place", Math.floor((to - 1) / DAY)),
    );
  for await (const { place, slots } of tallies)
    for (const [index, slot] of slots.entries()) {
      const quarter = place * QUARTERS + index;
      const [start, end] = [quarter * QUARTER, (quarter + 1) * QUARTER];
      if (slot.events === 0 || end <= from || start >= to) continue;
      const isWhole = from <= start && end <= to;
      const part = isWhole ? slot : await countMinutes(ctx, meter, quarter, from, to);
      addTo(days, dayOf(zone, start), part);
    }
}

async function addEvents(
  ctx: QueryCtx,
  zone: Doc<"zones">[],
  meter: Id<"meters">,
  days: Days,
  from: number,
  to: number,
) {
  const events = ctx.db
    .query("events")
    .withIndex("by_meter", (q) => q.eq("meter", meter).gte("at", from).lt("at", to));
  for await (const { at, amount, retracted } of events)
    if (!retracted) addTo(days, dayOf(zone, at), { events: 1, sum: amount, peak: amount });
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
    const slots: Days = new Map(listDays(zone, from, to).map((day) => [day, EMPTY]));
    await addAll(ctx, zone, _id, slots, from, to);
    const days = [...slots].map(([day, { events, sum, peak }]) => ({
      day,
      events,
      total: kind === "sum" ? sum : peak,
    }));
    reports.push({ meter: name, kind, days });
  }
  return reports;
}
