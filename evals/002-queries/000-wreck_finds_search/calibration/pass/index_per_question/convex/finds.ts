// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query, type QueryCtx } from "./_generated/server";

type Conditions = { wreck: string; material?: string; onLoan?: boolean };

async function bestMatches(ctx: QueryCtx, text: string, wanted: Conditions, limit: number) {
  const { wreck, material, onLoan } = wanted;
  const finds = ctx.db.query("finds");
  if (material !== undefined && onLoan !== undefined) {
    return await finds
      .withSearchIndex("words", (q) =>
        q.search("description", text).eq("wreck", wreck).eq("material", material).eq("onLoan", onLoan),
      )
      .take(limit);
  }
  if (material !== undefined) {
    return await finds
      .withSearchIndex("words", (q) =>
        q.search("description", text).eq("wreck", wreck).eq("material", material),
      )
      .take(limit);
  }
  if (onLoan !== undefined) {
    return await finds
      .withSearchIndex("words", (q) =>
        q.search("description", text).eq("onLoan", onLoan).eq("wreck", wreck),
      )
      .take(limit);
  }
  return await finds
    .withSearchIndex("words", (q) => q.search("description", text).eq("wreck", wreck))
    .take(limit);
}

export const search = query({
  args: {
    text: v.string(),
    wreck: v.string(),
    material: v.optional(v.string()),
    onLoan: v.optional(v.boolean()),
    limit: v.optional(v.number()),
  },
  handler: async (ctx, { text, limit = 10, ...wanted }) => {
    const words = text.trim();
    return words.length === 0 ? [] : await bestMatches(ctx, words, wanted, Math.min(limit, 50));
  },
});
