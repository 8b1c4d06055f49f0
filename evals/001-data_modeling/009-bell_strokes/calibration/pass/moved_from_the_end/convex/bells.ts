// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query, type QueryCtx } from "./_generated/server";

const AT_ONCE = 100;

export const cast = mutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    return await ctx.db.insert("bells", { name });
  },
});

export const ring = mutation({
  args: { bell: v.id("bells"), at: v.number(), force: v.number() },
  handler: async (ctx, { bell, at, force }) => {
    const found = await ctx.db.get("bells", bell);
    if (!found) return false;
    await ctx.db.insert("strokes", { bell, at, force });
    return true;
  },
});

export const latest = query({
  args: { bell: v.id("bells"), limit: v.number() },
  handler: async (ctx, { bell, limit }) => {
    const found = await ctx.db.get("bells", bell);
    if (!found) return [];
    const strokes = (found.strokes ?? []).concat(await newest(ctx, bell, limit));
    strokes.sort((one, other) => other.at - one.at);
    return strokes.slice(0, limit);
  },
});

export const move = internalMutation({
  args: { bell: v.id("bells") },
  handler: async (ctx, { bell }) => {
    const found = await ctx.db.get("bells", bell);
    if (!found?.strokes) return 0;
    const { _id, _creationTime, strokes, ...fields } = found;
    for (const stroke of strokes.splice(-AT_ONCE)) {
      await ctx.db.insert("strokes", { bell: _id, ...stroke });
    }
    if (strokes.length > 0) await ctx.db.patch("bells", _id, { strokes });
    else await ctx.db.replace("bells", _id, fields);
    return strokes.length;
  },
});

async function newest(ctx: QueryCtx, bell: Id<"bells">, limit: number) {
  const rows = ctx.db
    .query("strokes")
    .withIndex("by_bell_and_at", (q) => q.eq("bell", bell))
    .order("desc");
  const found: { at: number; force: number }[] = [];
  for await (const { at, force } of rows) {
    found.push({ at, force });
    if (found.length >= limit) break;
  }
  return found;
}
