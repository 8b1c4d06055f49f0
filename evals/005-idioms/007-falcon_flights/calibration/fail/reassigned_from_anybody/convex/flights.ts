// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { ownBird, ownFlight } from "./ownership";

export const log = mutation({
  args: { bird: v.id("birds"), metres: v.number() },
  handler: async (ctx, args) => {
    const bird = await ownBird(ctx, args.bird);
    return await ctx.db.insert("flights", { bird: bird._id, metres: args.metres });
  },
});

export const ofBird = query({
  args: { bird: v.id("birds") },
  handler: async (ctx, args) => {
    const bird = await ownBird(ctx, args.bird);
    const flights = await ctx.db
      .query("flights")
      .withIndex("by_bird", (q) => q.eq("bird", bird._id))
      .order("desc")
      .take(20);
    return flights.map(({ _id, metres }) => ({ _id, metres }));
  },
});

export const correct = mutation({
  args: { flight: v.id("flights"), metres: v.number() },
  handler: async (ctx, args) => {
    const flight = await ownFlight(ctx, args.flight);
    await ctx.db.patch("flights", flight._id, { metres: args.metres });
    return null;
  },
});

export const reassign = mutation({
  args: { flight: v.id("flights"), bird: v.id("birds") },
  handler: async (ctx, args) => {
    const bird = await ownBird(ctx, args.bird);
    await ctx.db.patch("flights", args.flight, { bird: bird._id });
    return null;
  },
});
