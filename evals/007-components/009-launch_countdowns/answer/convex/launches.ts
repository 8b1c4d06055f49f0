// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createFunctionHandle } from "convex/server";
import { ConvexError, v } from "convex/values";
import { components, internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";

export const plan = mutation({
  args: { rocket: v.string(), seconds: v.number() },
  returns: v.null(),
  handler: async (ctx, { rocket, seconds }): Promise<null> => {
    if (!(seconds >= 10)) {
      throw new ConvexError("too soon");
    }
    const handle = await createFunctionHandle(internal.launches.launch);
    await ctx.runMutation(components.countdown.clock.start, { label: rocket, seconds, handle });
    return null;
  },
});

export const abort = mutation({
  args: { rocket: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { rocket }): Promise<boolean> =>
    await ctx.runMutation(components.countdown.clock.halt, { label: rocket }),
});

export const launched = query({
  args: {},
  returns: v.array(v.string()),
  handler: async (ctx) => {
    const launches = await ctx.db.query("launches").order("desc").take(20);
    return launches.map(({ rocket }) => rocket);
  },
});

export const launch = internalMutation({
  args: { label: v.string() },
  returns: v.null(),
  handler: async (ctx, { label }) => {
    await ctx.db.insert("launches", { rocket: label });
    return null;
  },
});
