// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api";
import { mutation, query, type QueryCtx } from "./_generated/server";

const book = v.union(v.literal("dome"), v.literal("spectrograph"));

async function authorOf(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) {
    throw new ConvexError("not signed in");
  }
  return identity.tokenIdentifier;
}

export const note = mutation({
  args: { book, note: v.string(), hour: v.number() },
  returns: v.string(),
  handler: async (ctx, { book, ...entry }): Promise<string> => {
    const author = await authorOf(ctx);
    return await ctx.runMutation(components[book].entries.write, { author, ...entry });
  },
});

export const mine = query({
  args: { book },
  returns: v.array(v.object({ note: v.string(), hour: v.number() })),
  handler: async (ctx, { book }): Promise<{ note: string; hour: number }[]> => {
    const author = await authorOf(ctx);
    return await ctx.runQuery(components[book].entries.latest, { author });
  },
});

export const strike = mutation({
  args: { book, id: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { book, id }): Promise<boolean> => {
    const author = await authorOf(ctx);
    return await ctx.runMutation(components[book].entries.strike, { id, author });
  },
});

export const noteBoth = mutation({
  args: { note: v.string(), hour: v.number() },
  returns: v.null(),
  handler: async (ctx, entry) => {
    const author = await authorOf(ctx);
    if (entry.hour < 0 || entry.hour > 23) {
      throw new ConvexError("no such hour");
    }
    await ctx.runMutation(components.dome.entries.write, { author, ...entry });
    await ctx.runMutation(components.spectrograph.entries.write, { author, ...entry });
    return null;
  },
});
