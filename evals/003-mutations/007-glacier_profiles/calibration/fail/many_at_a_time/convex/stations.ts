// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation } from "./_generated/server";

const PAUSE_MS = 1000;

export const correct = mutation({
  args: { station: v.id("stations"), byMm: v.number() },
  returns: v.null(),
  handler: async (ctx, { station, byMm }) => {
    const document = await ctx.db.get("stations", station);
    if (document === null) {
      throw new ConvexError("no station");
    }
    if (document.correcting) {
      throw new ConvexError("busy");
    }
    const newest = await ctx.db
      .query("profiles")
      .withIndex("by_station", (q) => q.eq("station", station))
      .order("desc")
      .first();
    if (newest !== null) {
      await ctx.db.patch("stations", station, { correcting: true });
      const work = { station, byMm, after: 0, until: newest._creationTime };
      await ctx.scheduler.runAfter(0, internal.stations.correctSome, work);
    }
    return null;
  },
});

export const correctSome = internalMutation({
  args: {
    station: v.id("stations"),
    byMm: v.number(),
    after: v.number(),
    until: v.number(),
  },
  returns: v.null(),
  handler: async (ctx, { station, byMm, after, until }) => {
    let profiles = 0;
    let position = after;
    const left = ctx.db
      .query("profiles")
      .withIndex("by_station", (q) =>
        q.eq("station", station).gt("_creationTime", after).lte("_creationTime", until),
      );
    for await (const profile of left) {
      const readings = await ctx.db
        .query("readings")
        .withIndex("by_profile", (q) => q.eq("profile", profile._id))
        .collect();
      if (profiles === 30) {
        const work = { station, byMm, after: position, until };
        await ctx.scheduler.runAfter(PAUSE_MS, internal.stations.correctSome, work);
        return null;
      }
      for (const reading of readings) {
        await ctx.db.patch("readings", reading._id, { depthMm: reading.depthMm + byMm });
      }
      profiles += 1;
      position = profile._creationTime;
    }
    await ctx.db.patch("stations", station, { correcting: false });
    return null;
  },
});
