// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const accept = mutation({
  args: {
    office: v.string(),
    telegrams: v.array(v.object({ addressee: v.string(), words: v.number() })),
  },
  handler: async (ctx, { office, telegrams }) => {
    if (telegrams.some(({ words }) => words < 1)) {
      throw new ConvexError("no words");
    }
    const ids = await Promise.all(
      telegrams.map((telegram) => ctx.db.insert("telegrams", { office, ...telegram })),
    );
    return ids;
  },
});

export const deliver = mutation({
  args: { ids: v.array(v.id("telegrams")) },
  handler: async (ctx, { ids }) => {
    let removed = 0;
    for (const id of ids) {
      const telegram = await ctx.db.get("telegrams", id);
      if (telegram !== null) {
        await ctx.db.delete("telegrams", id);
        removed += 1;
      }
    }
    return removed;
  },
});

export const reroute = mutation({
  args: { id: v.id("telegrams"), office: v.string() },
  handler: async (ctx, { id, office }) => {
    const telegram = await ctx.db.get("telegrams", id);
    if (telegram === null) {
      return false;
    }
    await ctx.db.patch("telegrams", id, { office });
    return true;
  },
});

export const waiting = query({
  args: { office: v.string() },
  handler: async (ctx, { office }) => {
    const telegrams = await ctx.db
      .query("telegrams")
      .withIndex("by_office", (q) => q.eq("office", office))
      .collect();
    return {
      telegrams: telegrams.length,
      words: telegrams.reduce((sum, telegram) => sum + telegram.words, 0),
    };
  },
});
