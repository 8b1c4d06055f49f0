// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const write = mutation({
  args: { author: v.string(), note: v.string(), hour: v.number() },
  returns: v.id("entries"),
  handler: async (ctx, args) => await ctx.db.insert("entries", args),
});

export const latest = query({
  args: { author: v.string() },
  returns: v.array(v.object({ note: v.string(), hour: v.number() })),
  handler: async (ctx, { author }) => {
    const entries = await ctx.db
      .query("entries")
      .withIndex("by_author", (q) => q.eq("author", author))
      .order("desc")
      .take(10);
    return entries.map(({ note, hour }) => ({ note, hour }));
  },
});

export const strike = mutation({
  args: { id: v.string(), author: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { id, author }) => {
    const entryId = ctx.db.normalizeId("entries", id);
    const entry = entryId && (await ctx.db.get("entries", entryId));
    if (entry?.author !== author) {
      return false;
    }
    await ctx.db.delete("entries", entry._id);
    return true;
  },
});
