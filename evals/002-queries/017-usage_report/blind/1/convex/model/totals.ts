// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { DAY, MINUTE, QUARTER } from "../constants";
import type { part } from "../schema";

export type Part = Infer<typeof part>;

export function floorTo(at: number, span: number): number {
  return Math.floor(at / span) * span;
}

function partsOf(events: Doc<"events">[]): Part[] {
  return events
    .filter(({ retracted }) => !retracted)
    .map(({ at, amount }) => ({ at, events: 1, sum: amount, peak: amount }));
}

/** One part for each span of time in which there are parts. */
function condense(parts: Part[], span: number): Part[] {
  const found = new Map<number, Part>();
  for (const { at, events, sum, peak } of parts) {
    const start = floorTo(at, span);
    const part = found.get(start);
    if (part === undefined) {
      found.set(start, { at: start, events, sum, peak });
    } else {
      part.events += events;
      part.sum += sum;
      part.peak = Math.max(part.peak, peak);
    }
  }
  return [...found.values()];
}

/** Replaces the parts of a row that lie in a range, and returns all parts that it then has. */
async function putParts(
  ctx: MutationCtx,
  meter: Id<"meters">,
  span: number,
  from: number,
  to: number,
  fresh: Part[],
): Promise<Part[]> {
  const start = floorTo(from, span);
  const row = await ctx.db
    .query("totals")
    .withIndex("by_meter", (q) => q.eq("meter", meter).eq("span", span).eq("start", start))
    .unique();
  const kept = row === null ? [] : row.parts.filter(({ at }) => at < from || at >= to);
  const parts = [...kept, ...fresh];
  if (row === null) {
    if (parts.length > 0) await ctx.db.insert("totals", { meter, span, start, parts });
  } else if (parts.length > 0) {
    await ctx.db.patch("totals", row._id, { parts });
  } else {
    await ctx.db.delete("totals", row._id);
  }
  return parts;
}

/**
 * Adds up anew what lies in a range of whole minutes within one quarter of an hour, and returns how
 * many events there are.
 */
export async function refresh(
  ctx: MutationCtx,
  meter: Id<"meters">,
  from: number,
  to: number,
): Promise<number> {
  const events = await ctx.db
    .query("events")
    .withIndex("by_meter", (q) => q.eq("meter", meter).gte("at", from).lt("at", to))
    .collect();
  const fresh = condense(partsOf(events), MINUTE);
  const minutes = await putParts(ctx, meter, QUARTER, from, to, fresh);
  const quarter = floorTo(from, QUARTER);
  await putParts(ctx, meter, DAY, quarter, quarter + QUARTER, condense(minutes, QUARTER));
  return events.length;
}

/**
 * Whatever inserts, changes or deletes events calls this afterwards, with the meters and moments
 * that the events had before and have now.
 */
export async function refreshMinutes(
  ctx: MutationCtx,
  events: Pick<Doc<"events">, "meter" | "at">[],
) {
  const done = new Set<string>();
  for (const { meter, at } of events) {
    if (!Number.isFinite(at)) continue;
    const minute = floorTo(at, MINUTE);
    const key = `${meter} ${minute}`;
    if (done.has(key)) continue;
    done.add(key);
    await refresh(ctx, meter, minute, minute + MINUTE);
  }
}

/** Whether the totals hold all events. */
export async function isConverted(ctx: QueryCtx): Promise<boolean> {
  const state = await ctx.db.query("conversion").unique();
  return state?.done === true;
}

/** A part for each event of a range, in their order. */
export async function eventParts(
  ctx: QueryCtx,
  meter: Id<"meters">,
  from: number,
  to: number,
): Promise<Part[]> {
  const events = await ctx.db
    .query("events")
    .withIndex("by_meter", (q) => q.eq("meter", meter).gte("at", from).lt("at", to))
    .collect();
  return partsOf(events);
}

async function partsBetween(
  ctx: QueryCtx,
  meter: Id<"meters">,
  span: number,
  from: number,
  to: number,
): Promise<Part[]> {
  if (from >= to) return [];
  const rows = await ctx.db
    .query("totals")
    .withIndex("by_meter", (q) =>
      q.eq("meter", meter).eq("span", span).gte("start", floorTo(from, span)).lt("start", to),
    )
    .collect();
  return rows.flatMap(({ parts }) => parts.filter(({ at }) => at >= from && at < to));
}

/** The parts of a range of whole minutes: its whole quarters, and minutes before and after them. */
export async function storedParts(
  ctx: QueryCtx,
  meter: Id<"meters">,
  from: number,
  to: number,
): Promise<Part[]> {
  const first = Math.min(Math.ceil(from / QUARTER) * QUARTER, to);
  const last = Math.max(floorTo(to, QUARTER), first);
  return [
    ...(await partsBetween(ctx, meter, QUARTER, from, first)),
    ...(await partsBetween(ctx, meter, DAY, first, last)),
    ...(await partsBetween(ctx, meter, QUARTER, last, to)),
  ];
}
