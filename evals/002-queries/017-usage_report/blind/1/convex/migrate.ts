// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, type QueryCtx } from "./_generated/server";
import { QUARTER } from "./constants";
import { floorTo, refresh } from "./model/totals";

/** A call begins no further quarter after so many documents; a quarter has up to 750 events. */
const MAX_READS = 1000;
/** What is read for a quarter besides its events. */
const READS_PER_QUARTER = 6;

async function meterAfter(ctx: QueryCtx, meter?: Id<"meters">) {
  const event = await ctx.db
    .query("events")
    .withIndex("by_meter", (q) => (meter === undefined ? q : q.gt("meter", meter)))
    .first();
  return event?.meter;
}

function nextEvent(ctx: QueryCtx, meter: Id<"meters">, from: number) {
  return ctx.db
    .query("events")
    .withIndex("by_meter", (q) => q.eq("meter", meter).gte("at", from).lt("at", Infinity))
    .first();
}

/**
 * Adds up the events that were stored before there were totals, quarter by quarter of each meter.
 * What changes meanwhile is added up by the function that changes it; twice does no harm.
 */
export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const state = await ctx.db.query("conversion").unique();
    if (state?.done === true) return true;
    let meter = state?.meter ?? (await meterAfter(ctx));
    let from = state?.from ?? 0;
    let reads = 3;
    while (meter !== undefined && reads < MAX_READS) {
      const event = await nextEvent(ctx, meter, from);
      if (event === null) {
        meter = await meterAfter(ctx, meter);
        from = 0;
        reads += 1;
      } else {
        const quarter = floorTo(event.at, QUARTER);
        from = quarter + QUARTER;
        reads += READS_PER_QUARTER + (await refresh(ctx, meter, quarter, from));
      }
    }
    const done = meter === undefined;
    if (state === null) await ctx.db.insert("conversion", { meter, from, done });
    else await ctx.db.patch("conversion", state._id, { meter, from, done });
    return done;
  },
});
