// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { falconer } from "./falconer";

export const add = mutation({
  args: { name: v.string() },
  returns: v.id("birds"),
  handler: async (ctx, args) =>
    ctx.db.insert("birds", { ...args, owner: (await falconer(ctx)).me }),
});

export const mine = query({
  args: {},
  returns: v.array(v.object({ _id: v.id("birds"), name: v.string() })),
  handler: async (ctx) => {
    const { me } = await falconer(ctx);
    const birds = await ctx.db
      .query("birds")
      .withIndex("by_owner", (q) => q.eq("owner", me))
      .take(50);
    return birds.reverse().map((bird) => ({ _id: bird._id, name: bird.name }));
  },
});

export const release = mutation({
  args: { bird: v.id("birds") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const my = await falconer(ctx);
    const { _id } = await my.bird(args.bird);
    for await (const flight of my.flightsOf(_id)) await ctx.db.delete(flight._id);
    await ctx.db.delete(_id);
    return null;
  },
});
