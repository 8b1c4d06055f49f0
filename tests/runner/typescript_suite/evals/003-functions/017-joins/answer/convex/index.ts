import { query } from "./_generated/server";

export const shelf = query({
  args: {},
  handler: async (ctx) => {
    const authors = await ctx.db.query("authors").take(100);
    return await Promise.all(
      authors.map(async ({ _id, name }) => {
        const books = await ctx.db
          .query("books")
          .withIndex("by_author", (q) => q.eq("author", _id))
          .take(100);
        return { name, titles: books.map(({ title }) => title) };
      }),
    );
  },
});
