// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, type MutationCtx } from "./_generated/server";

const cleared = v.object({ shelves: v.number(), books: v.number() });

export const clearShelf = mutation({
  args: { shelf: v.id("shelves") },
  returns: cleared,
  handler: async (ctx, { shelf }) => {
    if ((await ctx.db.get("shelves", shelf)) === null) {
      return { shelves: 0, books: 0 };
    }
    return await deleteShelves(ctx, [shelf]);
  },
});

export const clearRoom = mutation({
  args: { room: v.id("rooms") },
  returns: cleared,
  handler: async (ctx, { room }) => {
    if ((await ctx.db.get("rooms", room)) === null) {
      return { shelves: 0, books: 0 };
    }
    const shelves = await ctx.db
      .query("shelves")
      .withIndex("by_room", (q) => q.eq("room", room))
      .collect();
    await ctx.db.delete("rooms", room);
    return await deleteShelves(
      ctx,
      shelves.map((shelf) => shelf._id),
    );
  },
});

/** Deletes shelves and all that hangs on them; throws, which undoes everything, if a book is lent. */
async function deleteShelves(ctx: MutationCtx, shelves: Id<"shelves">[]) {
  let books = 0;
  let lent = 0;
  for (const shelf of shelves) {
    const onShelf = await ctx.db
      .query("books")
      .withIndex("by_shelf", (q) => q.eq("shelf", shelf))
      .collect();
    for (const book of onShelf) {
      await forgetBook(ctx, book._id);
      lent += book.lent ? 1 : 0;
    }
    books += onShelf.length;
    await ctx.db.delete("shelves", shelf);
  }
  if (lent > 0) {
    throw new ConvexError({ code: "LENT", books: lent });
  }
  return { shelves: shelves.length, books };
}

async function forgetBook(ctx: MutationCtx, book: Id<"books">) {
  const notes = await ctx.db
    .query("notes")
    .filter((q) => q.eq(q.field("book"), book))
    .collect();
  for (const note of notes) {
    await ctx.db.patch("notes", note._id, { book: undefined });
  }
  await ctx.db.delete("books", book);
}
