// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";

export const ofChoir = query({
  args: { choir: v.id("choirs") },
  handler: async (ctx, { choir }) => {
    return await ctx.db
      .query("pieces")
      .withIndex("by_choir", (q) => q.eq("choir", choir))
      .collect();
  },
});

export const setLearned = mutation({
  args: { piece: v.id("pieces"), learned: v.boolean() },
  handler: async (ctx, { piece, learned }) => {
    const stored = await ctx.db.get("pieces", piece);
    if (stored === null) throw new ConvexError("There is no such piece.");
    if (stored.performed) throw new ConvexError("This piece has been performed.");
    await ctx.db.patch("pieces", piece, { learned });
  },
});
