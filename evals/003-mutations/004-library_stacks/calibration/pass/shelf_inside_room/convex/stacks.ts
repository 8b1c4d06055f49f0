// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation } from "./_generated/server";

const counts = v.object({ shelves: v.number(), books: v.number(), lent: v.number() });
type Counts = typeof counts.type;

function answer({ lent, ...cleared }: Counts) {
  if (lent > 0) throw new ConvexError({ code: "LENT", books: lent });
  return cleared;
}

// Nested mutations belong to the transaction of the one that runs them.
export const one = internalMutation({
  args: { shelf: v.id("shelves") },
  returns: counts,
  handler: async (ctx, { shelf }) => {
    const cleared: Counts = { shelves: 0, books: 0, lent: 0 };
    if ((await ctx.db.get("shelves", shelf)) === null) return cleared;
    const range = ctx.db.query("books").withIndex("by_shelf_and_lent", (q) => q.eq("shelf", shelf));
    for await (const { _id: book, lent } of range) {
      const notes = ctx.db.query("notes").withIndex("by_book", (q) => q.eq("book", book));
      for (const note of await notes.collect()) {
        await ctx.db.patch("notes", note._id, { book: undefined });
      }
      await ctx.db.delete("books", book);
      cleared.books += 1;
      cleared.lent += Number(lent);
    }
    await ctx.db.delete("shelves", shelf);
    return { ...cleared, shelves: 1 };
  },
});

export const clearShelf = mutation({
  args: { shelf: v.id("shelves") },
  handler: async (ctx, { shelf }): Promise<Omit<Counts, "lent">> =>
    answer(await ctx.runMutation(internal.stacks.one, { shelf })),
});

export const clearRoom = mutation({
  args: { room: v.id("rooms") },
  handler: async (ctx, { room }): Promise<Omit<Counts, "lent">> => {
    const total: Counts = { shelves: 0, books: 0, lent: 0 };
    const shelves = ctx.db.query("shelves").withIndex("by_room", (q) => q.eq("room", room));
    for (const shelf of await shelves.collect()) {
      const part = await ctx.runMutation(internal.stacks.one, { shelf: shelf._id });
      total.shelves += part.shelves;
      total.books += part.books;
      total.lent += part.lent;
    }
    const document = await ctx.db.get("rooms", room);
    if (document !== null) await ctx.db.delete("rooms", document._id);
    return answer(total);
  },
});
