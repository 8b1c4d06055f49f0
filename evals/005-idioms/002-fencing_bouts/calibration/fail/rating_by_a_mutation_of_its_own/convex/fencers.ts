// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, mutation, query } from "./_generated/server";

const FIRST_RATING = 1000;

export const enrol = mutation({
  args: { name: v.string() },
  returns: v.id("fencers"),
  handler: async (ctx, { name }) => {
    return await ctx.db.insert("fencers", { name, rating: FIRST_RATING });
  },
});

export const ranking = query({
  args: {},
  handler: async (ctx) => {
    const best = await ctx.db.query("fencers").withIndex("by_rating").order("desc").take(10);
    return best.map(({ _id, name, rating }) => ({ _id, name, rating }));
  },
});

export const correct = internalMutation({
  args: { fencer: v.id("fencers"), rating: v.number() },
  handler: async (ctx, { fencer, rating }) => {
    await ctx.db.patch("fencers", fencer, { rating });
    return null;
  },
});

export const rate = internalMutation({
  args: { fencer: v.id("fencers"), difference: v.number() },
  handler: async (ctx, args) => {
    const fencer = await ctx.db.get("fencers", args.fencer);
    if (fencer !== null) {
      await ctx.db.patch("fencers", fencer._id, { rating: fencer.rating + args.difference });
    }
    return null;
  },
});
