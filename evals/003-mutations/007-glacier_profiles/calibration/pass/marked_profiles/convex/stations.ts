// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, mutation, type MutationCtx } from "./_generated/server";

const work = {
  station: v.id("stations"),
  byMm: v.number(),
  number: v.number(),
  newest: v.number(),
};

export const correct = mutation({
  args: { station: work.station, byMm: work.byMm },
  handler: async (ctx, { station, byMm }) => {
    const document = await ctx.db.get(station);
    if (!document) throw new ConvexError("no station");
    if (document.correcting) throw new ConvexError("busy");
    const number = (document.corrections ?? 0) + 1;
    await ctx.db.patch(station, { correcting: true, corrections: number });
    const last = await ctx.db
      .query("profiles")
      .withIndex("by_station", (q) => q.eq("station", station))
      .order("desc")
      .first();
    const newest = last?._creationTime ?? 0;
    await ctx.scheduler.runAfter(0, internal.stations.next, { station, byMm, number, newest });
    return null;
  },
});

async function correctProfile(ctx: MutationCtx, profile: Doc<"profiles">, byMm: number) {
  const readings = await ctx.db
    .query("readings")
    .withIndex("by_profile", (q) => q.eq("profile", profile._id))
    .collect();
  await Promise.all(
    readings.map(({ _id, depthMm }) => ctx.db.patch(_id, { depthMm: depthMm + byMm })),
  );
  return readings.length;
}

export const next = internalMutation({
  args: work,
  handler: async (ctx, args) => {
    const { station, byMm, number, newest } = args;
    // Each profile costs its readings and itself; one of 20 must still fit, and the station.
    for (let written = 0; written + 22 <= 100; ) {
      const profile = await ctx.db
        .query("profiles")
        .withIndex("by_station_and_correction", (q) =>
          q.eq("station", station).lt("correction", number),
        )
        .first();
      if (!profile) {
        await ctx.db.patch(station, { correcting: false });
        return null;
      }
      if (profile._creationTime <= newest) written += await correctProfile(ctx, profile, byMm);
      await ctx.db.patch(profile._id, { correction: number });
      written += 1;
    }
    await ctx.scheduler.runAfter(1000, internal.stations.next, args);
    return null;
  },
});
