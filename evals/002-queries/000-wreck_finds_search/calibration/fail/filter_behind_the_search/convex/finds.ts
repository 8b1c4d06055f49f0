// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";

const DEFAULT_LIMIT = 10;
const MAXIMUM_LIMIT = 50;

export const search = query({
  args: {
    text: v.string(),
    wreck: v.string(),
    material: v.optional(v.string()),
    onLoan: v.optional(v.boolean()),
    limit: v.optional(v.number()),
  },
  handler: async (ctx, { text, wreck, material, onLoan, limit }) => {
    if (text.trim() === "") {
      return [];
    }
    return await ctx.db
      .query("finds")
      .withSearchIndex("search_description", (q) => q.search("description", text).eq("wreck", wreck))
      .filter((q) =>
        q.and(
          material === undefined ? true : q.eq(q.field("material"), material),
          onLoan === undefined ? true : q.eq(q.field("onLoan"), onLoan),
        ),
      )
      .take(Math.min(limit ?? DEFAULT_LIMIT, MAXIMUM_LIMIT));
  },
});
