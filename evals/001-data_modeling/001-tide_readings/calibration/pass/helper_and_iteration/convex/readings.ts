// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";

function timeline(ctx: QueryCtx, station: Id<"stations">, from = -Infinity, to = Infinity) {
  return ctx.db
    .query("readings")
    .withIndex("timeline", (q) =>
      q.eq("station", station).gte("takenAt", from).lt("takenAt", to),
    );
}

export const record = mutation({
  args: {
    station: v.id("stations"),
    takenAt: v.number(),
    levelMm: v.number(),
    trace: v.optional(v.string()),
  },
  handler: async (ctx, { station, takenAt, levelMm, trace }) =>
    ctx.db.insert("readings", { station, takenAt, levelMm, trace }),
});

export const between = query({
  args: { station: v.id("stations"), from: v.number(), to: v.number() },
  handler: async (ctx, args) => {
    const found: Doc<"readings">[] = [];
    for await (const reading of timeline(ctx, args.station, args.from, args.to)) {
      found.push(reading);
    }
    return found;
  },
});

export const latest = query({
  args: { station: v.id("stations") },
  handler: async (ctx, args) => {
    const [reading] = await timeline(ctx, args.station).order("desc").take(1);
    return reading ?? null;
  },
});
