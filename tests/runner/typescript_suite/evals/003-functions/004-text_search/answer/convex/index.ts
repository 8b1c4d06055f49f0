import { v } from "convex/values";
import { query } from "./_generated/server";

export const search = query({
  args: { words: v.string(), topic: v.string() },
  handler: async (ctx, { words, topic }) => {
    const articles = await ctx.db
      .query("articles")
      .withSearchIndex("search_body", (q) => q.search("body", words).eq("topic", topic))
      .take(5);
    return articles.map(({ body }) => body);
  },
});
