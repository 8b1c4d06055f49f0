// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { readingFields } from "./schema";

const reading = v.object({
  ...readingFields,
  _id: v.id("readings"),
  _creationTime: v.number(),
});

export const record = mutation({
  args: readingFields,
  returns: v.id("readings"),
  handler: async (ctx, args) => {
    if ((await ctx.db.get("stations", args.station)) === null) {
      throw new ConvexError("There is no such station.");
    }
    return await ctx.db.insert("readings", args);
  },
});

export const between = query({
  args: { station: v.id("stations"), from: v.number(), to: v.number() },
  returns: v.array(reading),
  handler: (ctx, { station, from, to }) =>
    ctx.db
      .query("readings")
      .withIndex("by_station_time_level", (q) =>
        q.eq("station", station).gte("takenAt", from).lt("takenAt", to),
      )
      .collect(),
});

export const latest = query({
  args: { station: v.id("stations") },
  returns: v.union(reading, v.null()),
  handler: (ctx, { station }) =>
    ctx.db
      .query("readings")
      .withIndex("by_station_time_level", (q) => q.eq("station", station))
      .order("desc")
      .first(),
});
