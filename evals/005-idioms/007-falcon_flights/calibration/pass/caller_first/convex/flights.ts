// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { falconer } from "./falconer";

export const log = mutation({
  args: { bird: v.id("birds"), metres: v.number() },
  returns: v.id("flights"),
  handler: async (ctx, args) => {
    const my = await falconer(ctx);
    await my.bird(args.bird);
    return await ctx.db.insert("flights", args);
  },
});

export const ofBird = query({
  args: { bird: v.id("birds") },
  handler: async (ctx, args) => {
    const my = await falconer(ctx);
    const { _id: bird } = await my.bird(args.bird);
    const newest = await my.flightsOf(bird).order("desc").take(20);
    return newest.map((flight) => ({ _id: flight._id, metres: flight.metres }));
  },
});

export const correct = mutation({
  args: { flight: v.id("flights"), metres: v.number() },
  returns: v.null(),
  handler: async (ctx, { flight, metres }) => {
    const my = await falconer(ctx);
    const found = await my.flight(flight);
    await ctx.db.replace(flight, { bird: found.bird, metres });
    return null;
  },
});

export const reassign = mutation({
  args: { flight: v.id("flights"), bird: v.id("birds") },
  returns: v.null(),
  handler: async (ctx, { flight, bird }) => {
    const my = await falconer(ctx);
    await my.flight(flight);
    await my.bird(bird);
    await ctx.db.patch(flight, { bird });
    return null;
  },
});
