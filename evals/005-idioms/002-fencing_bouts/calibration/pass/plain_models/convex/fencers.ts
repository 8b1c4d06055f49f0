// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, mutation, query } from "./_generated/server";
import { best } from "./model/fencers";

export const enrol = mutation({
  args: { name: v.string() },
  handler: (ctx, args) => ctx.db.insert("fencers", { ...args, rating: 1000 }),
});

export const ranking = query({
  args: {},
  returns: v.array(v.object({ _id: v.id("fencers"), name: v.string(), rating: v.number() })),
  handler: (ctx) => best(ctx, 10),
});

export const correct = internalMutation({
  args: { fencer: v.id("fencers"), rating: v.number() },
  returns: v.null(),
  handler: async (ctx, args) => {
    await ctx.db.patch(args.fencer, { rating: args.rating });
    return null;
  },
});
