// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { caller, ownBird } from "./ownership";

export const add = mutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    const owner = await caller(ctx);
    return await ctx.db.insert("birds", { name, owner });
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const owner = await caller(ctx);
    const birds = await ctx.db
      .query("birds")
      .withIndex("by_owner", (q) => q.eq("owner", owner))
      .order("desc")
      .collect();
    return birds.map(({ _id, name }) => ({ _id, name }));
  },
});

export const release = mutation({
  args: { bird: v.id("birds") },
  handler: async (ctx, args) => {
    const bird = await ownBird(ctx, args.bird);
    const flights = await ctx.db
      .query("flights")
      .withIndex("by_bird", (q) => q.eq("bird", bird._id))
      .collect();
    const ids = [bird._id, ...flights.map((flight) => flight._id)];
    await Promise.all(ids.map((id) => ctx.db.delete(id)));
    return null;
  },
});
