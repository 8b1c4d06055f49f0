// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { action, internalMutation, internalQuery, query } from "./_generated/server";
import { askHandbook } from "./handbook";

const FRESH_FOR = 86_400_000;

function shown(document: Doc<"facts"> | null) {
  if (!document) return null;
  const { formula, hardness, fetchedAt } = document;
  return { formula, hardness, fetchedAt };
}

export const stored = internalQuery({
  args: { name: v.string() },
  handler: async (ctx, args) => {
    return await ctx.db
      .query("facts")
      .withIndex("by_name", (q) => q.eq("name", args.name))
      .first();
  },
});

export const known = query({
  args: { name: v.string() },
  handler: async (ctx, args) => {
    const found = await ctx.db
      .query("facts")
      .withIndex("by_name", (q) => q.eq("name", args.name))
      .first();
    return shown(found);
  },
});

export const keep = internalMutation({
  args: {
    name: v.string(),
    formula: v.string(),
    hardness: v.float64(),
    fetchedAt: v.float64(),
  },
  handler: async (ctx, args) => {
    const all = await ctx.db
      .query("facts")
      .withIndex("by_name", (q) => q.eq("name", args.name))
      .collect();
    if (all.some((each) => each.fetchedAt >= args.fetchedAt)) return;
    for (const each of all) await ctx.db.delete("facts", each._id);
    await ctx.db.insert("facts", args);
  },
});

export const facts = action({
  args: { name: v.string() },
  handler: async (
    ctx,
    { name },
  ): Promise<{ formula: string; hardness: number; fetchedAt: number } | null> => {
    const before = shown(await ctx.runQuery(internal.minerals.stored, { name }));
    if (before && before.fetchedAt > Date.now() - FRESH_FOR) return before;
    const answer = await askHandbook(name).catch(() => null);
    if (!answer) return before;
    const fetchedAt = Date.now();
    await ctx.runMutation(internal.minerals.keep, { ...answer, name, fetchedAt });
    return { ...answer, fetchedAt };
  },
});
