// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";

export const free = query({
  args: { lesson: v.id("lessons") },
  handler: async (ctx, args) => {
    const lesson = await existing(ctx, args.lesson);
    return lesson.places - lesson.taken;
  },
});

export const booked = query({
  args: { lesson: v.id("lessons"), child: v.string() },
  handler: async (ctx, args) => {
    await existing(ctx, args.lesson);
    const booking = await bookingOf(ctx, args.lesson, args.child);
    return booking?._id ?? null;
  },
});

export const book = mutation({
  args: { lesson: v.id("lessons"), child: v.string() },
  handler: async (ctx, args) => {
    return await take(ctx, args.lesson, args.child);
  },
});

export const cancel = mutation({
  args: { booking: v.id("bookings") },
  handler: async (ctx, args) => {
    await release(ctx, args.booking);
    return null;
  },
});

export const move = mutation({
  args: { booking: v.id("bookings"), lesson: v.id("lessons") },
  handler: (ctx, args) => transfer(ctx, args.booking, args.lesson),
});

export const bookAll = mutation({
  args: { lesson: v.id("lessons"), children: v.array(v.string()) },
  handler: async (ctx, args) => {
    const bookings: Id<"bookings">[] = [];
    for (const child of args.children) {
      bookings.push(await take(ctx, args.lesson, child));
    }
    return bookings;
  },
});

export const tryAll = mutation({
  args: { lesson: v.id("lessons"), children: v.array(v.string()) },
  handler: async (ctx, args) => {
    const results: string[] = [];
    for (const child of args.children) {
      results.push(await takeOrReason(ctx, args.lesson, child));
    }
    return results;
  },
});

/** Books a child. It refuses before it writes, so whoever catches the error keeps nothing half done. */
async function take(ctx: MutationCtx, id: Id<"lessons">, child: string) {
  const lesson = await existing(ctx, id);
  if ((await bookingOf(ctx, id, child)) !== null) {
    throw new ConvexError("booked already");
  }
  if (lesson.taken >= lesson.places) {
    throw new ConvexError("full");
  }
  await ctx.db.patch("lessons", id, { taken: lesson.taken + 1 });
  return await ctx.db.insert("bookings", { lesson: id, child });
}

async function takeOrReason(ctx: MutationCtx, id: Id<"lessons">, child: string): Promise<string> {
  try {
    return await take(ctx, id, child);
  } catch (error) {
    if (error instanceof ConvexError && typeof error.data === "string") {
      return error.data;
    }
    throw error;
  }
}

/** Deletes a booking, and returns it as it was. */
async function release(ctx: MutationCtx, id: Id<"bookings">): Promise<Doc<"bookings">> {
  const booking = await ctx.db.get("bookings", id);
  if (booking === null) {
    throw new ConvexError("no such booking");
  }
  await ctx.db.delete("bookings", id);
  const lesson = await ctx.db.get("lessons", booking.lesson);
  if (lesson !== null) {
    await ctx.db.patch("lessons", lesson._id, { taken: lesson.taken - 1 });
  }
  return booking;
}

async function transfer(ctx: MutationCtx, from: Id<"bookings">, to: Id<"lessons">) {
  const booking = await release(ctx, from);
  return await take(ctx, to, booking.child);
}

async function existing(ctx: QueryCtx, id: Id<"lessons">): Promise<Doc<"lessons">> {
  const lesson = await ctx.db.get("lessons", id);
  if (lesson === null) {
    throw new ConvexError("no such lesson");
  }
  return lesson;
}

async function bookingOf(ctx: QueryCtx, lesson: Id<"lessons">, child: string) {
  return await ctx.db
    .query("bookings")
    .withIndex("by_child", (q) => q.eq("child", child).eq("lesson", lesson))
    .first();
}
