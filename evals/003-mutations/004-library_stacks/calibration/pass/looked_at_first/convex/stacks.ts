// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { mutation, type MutationCtx } from "./_generated/server";

/** Finds out what is to go before anything is changed, and then changes all of it. */
async function clear(ctx: MutationCtx, shelves: Doc<"shelves">[]) {
  const byShelf = await Promise.all(
    shelves.map((shelf) =>
      ctx.db
        .query("books")
        .withIndex("by_shelf", (q) => q.eq("shelf", shelf._id))
        .take(40),
    ),
  );
  const books = byShelf.flat();
  const lent = books.filter((book) => book.lent);
  if (lent.length > 0) throw new ConvexError({ code: "LENT", books: lent.length });

  for (const { _id } of books) {
    for await (const note of ctx.db.query("notes").withIndex("by_book", (q) => q.eq("book", _id))) {
      await ctx.db.replace(note._id, { text: note.text });
    }
  }
  await Promise.all([...books, ...shelves].map(({ _id }) => ctx.db.delete(_id)));
  return { shelves: shelves.length, books: books.length };
}

export const clearShelf = mutation({
  args: { shelf: v.id("shelves") },
  handler: async (ctx, args) => {
    const shelf = await ctx.db.get(args.shelf);
    return await clear(ctx, shelf ? [shelf] : []);
  },
});

export const clearRoom = mutation({
  args: { room: v.id("rooms") },
  handler: async (ctx, { room }) => {
    const shelves = await ctx.db
      .query("shelves")
      .withIndex("by_room", (q) => q.eq("room", room))
      .take(20);
    const result = await clear(ctx, shelves);
    if (await ctx.db.get(room)) await ctx.db.delete(room);
    return result;
  },
});
