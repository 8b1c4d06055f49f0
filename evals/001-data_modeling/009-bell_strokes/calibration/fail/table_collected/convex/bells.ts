// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, mutation, query } from "./_generated/server";

const BATCH = 100;

export const cast = mutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => await ctx.db.insert("bells", { name }),
});

export const ring = mutation({
  args: { bell: v.id("bells"), at: v.number(), force: v.number() },
  handler: async (ctx, stroke) => {
    if ((await ctx.db.get("bells", stroke.bell)) === null) {
      return false;
    }
    await ctx.db.insert("strokes", stroke);
    return true;
  },
});

export const latest = query({
  args: { bell: v.id("bells"), limit: v.number() },
  handler: async (ctx, { bell, limit }) => {
    const found = await ctx.db.get("bells", bell);
    if (found === null) {
      return [];
    }
    const own = await ctx.db
      .query("strokes")
      .withIndex("by_bell_and_at", (q) => q.eq("bell", bell))
      .collect();
    return [...own, ...(found.strokes ?? [])]
      .sort((a, b) => b.at - a.at)
      .slice(0, limit)
      .map(({ at, force }) => ({ at, force }));
  },
});

export const move = internalMutation({
  args: { bell: v.id("bells") },
  handler: async (ctx, { bell }) => {
    const list = (await ctx.db.get("bells", bell))?.strokes;
    if (list === undefined) {
      return 0;
    }
    for (const stroke of list.slice(0, BATCH)) {
      await ctx.db.insert("strokes", { bell, ...stroke });
    }
    const left = list.slice(BATCH);
    await ctx.db.patch("bells", bell, { strokes: left.length > 0 ? left : undefined });
    return left.length;
  },
});
